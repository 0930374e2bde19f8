// A tile under swizzle, to be looked at with pointer or keyboard. In: a section of class "stepper" whose
// model is swizzle. Out: the same section with a grid of elements in front of its table. The idea: one
// element is chosen at a time; its address, its bank and the banks of its column are said in words, too.
(() => {
  const model = window.stepperModels.swizzle, ROWS = 8;
  const make = window.makeElement;
  const hex = (number) => `0x${number.toString(16)}`;

  const play = (section) => {
    let mode = '128B', column = 8, row = 0;
    const choice = make(
        'select', {
          id: 'swizzle-mode',
          onchange: () => {
            mode = choice.value;
            build();
          }
        },
        ...Object.keys(model.modes)
            .map(
                (name) =>
                    make('option', {value: name}, name === 'none' ? 'no swizzle' : `SWIZZLE_${name}`)));
    choice.value = mode;
    const memory =
        make('div', {class: 'memory', role: 'grid', 'aria-label': 'Shared memory: 32 banks in a line'});
    const said = make('p', {class: 'said', role: 'status', 'aria-live': 'polite'});
    let cells = [];

    const cellOf = (x, y) => cells.find((cell) => cell.x === x && cell.y === y);

    const choose = (x, y, focus) => {
      [column, row] = [x, y];
      const {plain, address, bank} = model.place(mode, x, y), ways = model.ways(mode, x);
      for (const cell of cells) {
        cell.element.classList.toggle('column', cell.x === x);
        cell.element.classList.toggle('chosen', cell.x === x && cell.y === y);
        cell.element.tabIndex = cell.x === x && cell.y === y ? 0 : -1;
        cell.element.setAttribute('aria-selected', String(cell.x === x && cell.y === y));
      }
      if (focus) cellOf(x, y).element.focus();
      const banks = [...new Set(model.banksOfColumn(mode, x).flatMap((met, b) => met ? [b] : []))];
      said.textContent =
          `Element (${x}, ${y}): address ${hex(plain)} without swizzle, ${hex(address)} with it; ` +
          `bank ${bank}. A warp that reads column ${x} of 32 rows meets ${
              banks.length === 1 ? 'bank' : 'banks'} ` +
          `${banks.join(', ')}: ${ways === 1 ? 'no conflict' : `a ${ways}-way conflict`}.`;
    };

    const keys = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
    memory.addEventListener('keydown', (event) => {
      const columns = model.columns(mode);
      let to = null;
      if (event.key in keys)
        to = [
          (column + keys[event.key][0] + columns) % columns,
          Math.min(rows() - 1, Math.max(0, row + keys[event.key][1]))
        ];
      if (event.key === 'Home') to = [0, row];
      if (event.key === 'End') to = [columns - 1, row];
      if (!to) return;
      event.preventDefault();
      choose(...to, true);
    });

    // Eight lines of 128 bytes are drawn; narrow rows lie several in a line.
    const rows = () => ROWS * 128 / model.modes[mode].span;

    const build = () => {
      const columns = model.columns(mode);
      cells = [];
      for (let y = 0; y < rows(); y++)
        for (let x = 0; x < columns; x++) {
          const {address, bank} = model.place(mode, x, y);
          const element = make(
              'div', {
                role: 'gridcell',
                class: `word${Math.floor(bank / 4) % 2 ? ' odd' : ''}`,
                'aria-label': `x ${x}, y ${y}, bank ${bank}`,
                onmouseenter: () => choose(x, y, false),
                onclick: () => choose(x, y, true)
              },
              String(x));
          cells.push({x, y, address, element});
        }
      cells.sort((a, b) => a.address - b.address);
      const lines = [];
      for (let i = 0; i < cells.length; i += 32)
        lines.push(make('div', {role: 'row'}, ...cells.slice(i, i + 32).map(({element}) => element)));
      memory.replaceChildren(...lines);
      choose(Math.min(column, columns - 1), Math.min(row, rows() - 1), false);
    };

    section.querySelector('.story > p')
        .after(make(
            'div', {class: 'player'},
            make(
                'p', {class: 'choice'},
                make(
                    'label',
                    { for: choice.id
                    },
                    'Mode'),
                ' ', choice),
            make('p', {class: 'banks'}, make('span', {}, 'bank 0'), make('span', {}, 'bank 31')), memory,
            said));
    build();
  };

  document.querySelectorAll('.stepper[data-model=swizzle]').forEach(play);
})();
