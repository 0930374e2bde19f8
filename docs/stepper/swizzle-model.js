// Where an element of a tile lies under a swizzle mode. In: mode, column, row. Out: addresses and banks.
// The idea: the engine changes addresses, by exclusive or, and knows nothing of rows.
(() => {
  // mode: [the row's bytes, address bits that are exchanged]
  const modes = {
    none: {span: 128, bits: 0},
    '32B': {span: 32, bits: 0x10},
    '64B': {span: 64, bits: 0x30},
    '128B': {span: 128, bits: 0x70},
  };
  const WORD = 4, BANKS = 32;

  const exchanged = (mode, address) => address ^ (address >> 3 & modes[mode].bits);

  // A tile of 32 words in a row would be 128 bytes; narrower modes have narrower rows.
  const place = (mode, column, row) => {
    const plain = row * modes[mode].span + column * WORD, address = exchanged(mode, plain);
    return {plain, address, bank: Math.floor(address / WORD) % BANKS};
  };

  // How often each bank is met when 32 lanes read one column, lane n in row n.
  const banksOfColumn = (mode, column) => {
    const met = new Array(BANKS).fill(0);
    for (let row = 0; row < 32; row++) met[place(mode, column, row).bank]++;
    return met;
  };

  window.stepperModels = window.stepperModels || {};
  window.stepperModels.swizzle = {
    modes,
    place,
    banksOfColumn,
    columns: (mode) => modes[mode].span / WORD,
    ways: (mode, column) => Math.max(...banksOfColumn(mode, column)),
  };
})();
