// In: the models. Out: programs for replay.cu, with what the models expect: WORDS|EXPECTED a line. The
// idea: presets and random steps go through the model first; then the device does the same.
window.stepperPrograms = (presets) => {
  const {barrier, ring, proxies, swizzle} = window.stepperModels;
  const lines = [];
  let seed = 12345;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor(seed / 65536) % below;
  };
  const emit = (words, expected) => lines.push(`${words}|${expected}`);
  const rulesOf = (rules) => [...new Set(rules)].sort().join(',') || 'none';

  // ---- barrier ----
  const code = (step) => {
    for (const [form, letter] of [
             [/^init_barrier\(&bar, (\d+)\)$/, 'i'], [/^arrive\(&bar\)()$/, 'a'],
             [/^expect_bytes\(&bar, (\d+)\)$/, 'e'], [/^expect_bytes_and_arrive\(&bar, (\d+)\)$/, 'b'],
             [/^(\d+) bytes land$/, 'l']]) {
      const match = form.exec(step);
      if (match) return letter + match[1];
    }
    return null;
  };
  const answers = ({bar}) => [0, 1].reduce(
      (sum, parity) => sum + (barrier.parts.returns(bar, parity) ? 1 << parity : 0), 0);
  const look = (state) => barrier.act(state, `thread 9: wait(&bar, ${(state.bar.phase + 1) % 2})`).state;

  // Every answer after every step; the questions themselves see each phase complete.
  const asked = (steps) => {
    let state = barrier.start();
    const words = [], expected = [];
    for (const step of steps) {
      if (!code(step)) continue;
      const done = barrier.act(state, step);
      if (done.rules.length) continue;
      state = look(done.state);
      words.push(code(step));
      expected.push(answers(state));
    }
    emit(`barrier ${words.join(' ')}`, expected.join(' '));
  };

  // The rules that are broken, when only the program's own waits look.
  const told = (steps) => {
    let state = barrier.start();
    const words = [], rules = [];
    for (const step of steps) {
      const before = state, wait = /^thread \d+: wait\(&bar, (\d)\)$/.exec(step);
      const done = barrier.act(state, step);
      state = done.state;
      rules.push(...done.rules);
      if (code(step))
        words.push(code(step));
      else if (wait && barrier.parts.returns(before.bar, Number(wait[1])))
        words.push(`t${wait[1]}`);
      // Whoever wakes up has seen the phase complete.
      if (before.bar && state.bar.phase > before.bar.phase && state.bar.observed)
        words.push(`t${before.bar.phase % 2}`);
      if (step === 'nothing more comes')
        for (const parity of Object.values(state.bar.asleep).slice(0, 1)) words.push(`W${parity}`);
      if (rules.length) break;
    }
    // Bytes that nobody announced are a rule of copies, and here no copy takes part.
    const known = Object.keys(state.bar.asleep).length > 0 ?
        rules :
        rules.filter((rule) => rule !== 'bytes-announced');
    emit(`unasked ${words.join(' ')}`, rulesOf(known));
  };

  const randomBarrier = () => {
    const steps = [`init_barrier(&bar, ${1 + random(3)})`];
    const forms = [
      'arrive(&bar)', 'arrive(&bar)', 'expect_bytes(&bar, N)', 'expect_bytes_and_arrive(&bar, N)',
      'N bytes land', 'N bytes land', 'thread 1: wait(&bar, 0)', 'thread 2: wait(&bar, 1)'
    ];
    const length = 4 + random(20);
    while (steps.length < length)
      steps.push(forms[random(forms.length)].replace('N', 2048 * (1 + random(2))));
    return [...steps, 'nothing more comes'];
  };

  // ---- proxies ----
  const shorts = [
    [/^thread (\d): tile/, 'w'], [/^thread (\d): async_proxy_fence/, 'f'], [/^__syncthreads()/, 'm'],
    [/^thread (\d) stores/, 's'], [/^thread (\d) loads/, 'L'], [/^thread (\d): wait/, 'W'],
    [/^thread (\d) reads/, 'r']
  ];
  const seen = (steps) => {
    let state = proxies.start();
    const words = [], rules = [];
    for (const step of steps) {
      if (!proxies.allowed(state, step)) continue;
      const done = proxies.act(state, step);
      state = done.state;
      rules.push(...done.rules);
      for (const [form, letter] of shorts)
        if (form.test(step)) words.push(letter + form.exec(step)[1]);
      if (rules.length) break;
    }
    // The block stays until its load has landed.
    if (words.includes('L0') && !words.includes('W0')) words.push('W0');
    emit(`proxies ${words.join(' ')}`, rulesOf(rules));
  };
  const randomProxies = () =>
      Array.from({length: 3 + random(7)}, () => proxies.actions[random(proxies.actions.length)]);

  // ---- ring: whether some order of steps goes wrong ----
  const orders = (options) => {
    const rules = new Set();
    for (let walk = 0; walk < 200; walk++) {
      let state = ring.start(options);
      for (let i = 0; i < 200 && !ring.finished(state) && !ring.wouldSleep(state); i++) {
        const can =
            ring.actions.filter((step) => step !== 'nothing more comes' && ring.allowed(state, step));
        const done = ring.act(state, can[random(can.length)]);
        state = done.state;
        for (const rule of done.rules) rules.add(rule);
      }
      for (const rule of ring.end(state).rules) rules.add(rule);
    }
    return rules.size === 0 ? 'none' : rules.size === 1 && rules.has('deadlock') ? 'deadlock' : 'broken';
  };
  const rings = () => {
    const ways = {
      producer: ['other', 'same', 'none'],
      consumer: ['round', 'turn'],
      release: ['after', 'before', 'never']
    };
    for (const producer of ways.producer)
      for (const consumer of ways.consumer)
        for (const release of ways.release)
          for (const count of [1, 2, 3]) {
            const at = (name, value) => ways[name].indexOf(value);
            emit(
                `ring 2 6 ${at('producer', producer)} ${at('consumer', consumer)} ${count} ${
                    at('release', release)}`,
                orders({stages: 2, tiles: 6, producer, consumer, count, release}));
          }
  };

  for (const {model, steps} of presets) {
    if (model === 'barrier') {
      asked(steps);
      told(steps);
    }
    if (model === 'proxies') seen(steps);
  }
  for (let i = 0; i < 30; i++) {
    const steps = randomBarrier();
    asked(steps);
    told(steps);
  }
  for (let i = 0; i < 40; i++) seen(randomProxies());
  rings();
  for (const mode of Object.keys(swizzle.modes)) {
    const places = [];
    for (let i = 0; i < 256; i++)
      places.push(
          swizzle.place(mode, i % swizzle.columns(mode), Math.floor(i / swizzle.columns(mode))).address);
    emit(`swizzle ${mode}`, places.join(' '));
  }
  return lines;
};
