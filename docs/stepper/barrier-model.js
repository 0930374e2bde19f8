// A barrier as the PTX ISA describes it (9.1, section 9.7.13.15). In: a state and a step, as the page's
// tables write it. Out: the next state, and a sentence. The idea: nothing here knows of pages, and states
// are never changed, so that "back" is a list of states and a test can run the model alone.
(() => {
  const LIMIT = 2 ** 20 - 1;

  const fresh = (count) => ({
    count,
    arrivals: count,
    bytes: 0,
    phase: 0,
    observed: true,
    unobservedTold: false,
    asleep: {},
  });

  // The last completed phase has this parity. On a fresh barrier "phase -1" counts as odd.
  const returns = (bar, parity) => (bar.phase + 1) % 2 === parity;

  const names = (threads) => threads.length === 1 ?
      `Thread ${threads[0]} wakes up` :
      `Threads ${threads.slice(0, -1).join(', ')} and ${threads[threads.length - 1]} wake up`;

  // Ends the phase if both counts are zero, and wakes who waited for it.
  const settle = (bar) => {
    if (bar.arrivals !== 0 || bar.bytes !== 0) return {bar, said: ''};
    const next = {...bar, phase: bar.phase + 1, arrivals: bar.count, observed: false, asleep: {}};
    const woken = [];
    for (const [thread, parity] of Object.entries(bar.asleep))
      if (returns(next, parity))
        woken.push(thread);
      else
        next.asleep[thread] = parity;
    if (woken.length > 0) next.observed = true;
    const who = woken.length > 0 ? ` ${names(woken)}.` : '';
    return {
      bar: next,
      said: ` Both counts are 0: phase ${bar.phase} is complete, phase ${next.phase} begins.${who}`,
    };
  };

  const owed = (bar) => {
    const parts = [];
    if (bar.arrivals > 0) parts.push(bar.arrivals === 1 ? '1 arrival' : `${bar.arrivals} arrivals`);
    if (bar.bytes > 0) parts.push(`${bar.bytes} bytes`);
    if (bar.bytes < 0) parts.push(`an announcement of ${- bar.bytes} bytes`);
    return parts.join(' and ');
  };

  const told = (bar, rule, said) => ({bar, said, rules: [rule]});

  const arrive = (bar, bytes) => {
    const rules = [];
    let said = '';
    if (bar.phase > 0 && !bar.observed && !bar.unobservedTold) {
      bar = {...bar, unobservedTold: true};
      rules.push('unobserved-phase');
      said = `Wrong: nobody has seen phase ${bar.phase - 1} complete. `;
    }
    if (bar.arrivals === 0) {
      rules.push('arrival-count');
      return {bar, rules, said: `${said}Wrong: phase ${bar.phase} needs no more arrivals, only bytes.`};
    }
    if (bar.bytes + bytes > LIMIT) {
      rules.push('bytes-announced');
      return {bar, rules, said: `${said}Wrong: more bytes than a barrier can count.`};
    }
    const announced = bar.announced || bytes > 0;
    const {bar: next, said: end} =
        settle({...bar, announced, arrivals: bar.arrivals - 1, bytes: bar.bytes + bytes});
    const first =
        bytes > 0 ? `${bytes} bytes more are owed, then one arrival less.` : 'One arrival less is owed.';
    return {bar: next, rules, said: said + first + end};
  };

  const announce = (bar, bytes) => {
    if (bar.bytes + bytes > LIMIT)
      return told(bar, 'bytes-announced', 'Wrong: more bytes than a barrier can count.');
    const {bar: next, said} = settle({...bar, announced: true, bytes: bar.bytes + bytes});
    return {bar: next, rules: [], said: `${bytes} bytes more are owed. This is no arrival.${said}`};
  };

  const land = (bar, bytes) => {
    if (bar.bytes - bytes < -LIMIT)
      return told(bar, 'bytes-announced', 'Wrong: more bytes than a barrier can count.');
    const {bar: next, said} = settle({...bar, bytes: bar.bytes - bytes});
    const below = next.bytes >= 0 ?
        '' :
        bar.arrivals > 0 && bar.phase === 0 ?
        ' The count is below 0 until they are announced. That is allowed while an arrival is owed.' :
        ` The count is below 0: nobody has announced them in phase ${next.phase}.`;
    return {bar: next, rules: [], said: `${bytes} bytes less are owed.${said}${below}`};
  };

  const wait = (bar, thread, parity) => {
    const asks = `Thread ${thread} asks for an ${parity === 0 ? 'even' : 'odd'} phase`;
    if (returns(bar, parity)) {
      const last = bar.phase === 0 ? '. On a fresh barrier that counts as complete' :
                                     `, and the last completed one is ${bar.phase - 1}`;
      const still = bar.bytes > 0 ? ` Phase ${bar.phase} still wants ${owed(bar)}.` : '';
      return {
        bar: {...bar, observed: true},
        rules: [],
        said: `${asks}${last}: it goes on at once.${still}`
      };
    }
    const last = bar.phase === 0 ? 'None is complete yet' : `The last completed one is ${bar.phase - 1}`;
    return {
      bar: {...bar, asleep: {...bar.asleep, [thread]: parity}},
      rules: [],
      said: `${asks}. ${last}, so it sleeps until phase ${bar.phase} is complete.`,
    };
  };

  const end = (bar) => {
    const threads = Object.keys(bar.asleep);
    if (threads.length === 0 && bar.bytes < 0)
      return told(bar, 'bytes-announced', `Nobody sleeps, but ${- bar.bytes} bytes were never announced.`);
    if (threads.length === 0) return {bar, rules: [], said: 'Nobody sleeps.'};
    const who =
        threads.length === 1 ? `Thread ${threads[0]} sleeps` : `Threads ${threads.join(' and ')} sleep`;
    const wants = `${who} for ever: phase ${bar.phase} still wants ${owed(bar)}.`;
    if (bar.arrivals === 0) return told(bar, 'bytes-announced', wants);
    // Nobody has begun this phase, and nobody has seen the one before: that one was meant.
    const untouched = bar.arrivals === bar.count && bar.bytes === 0 && bar.phase > 0 && !bar.observed;
    if (untouched && (bar.count === 1 || bar.announced))
      return told(bar, 'parity', `${wants} Nobody has begun it: that is the wrong parity.`);
    return told(bar, 'deadlock', wants);
  };

  // A step is one line of C, as a reader would write it, or words for what the hardware does.
  const forms = [
    [
      /^init_barrier\(&bar, (\d+)\)$/,
      (bar, count) => bar ?
          told(bar, 'barrier-reinit', 'Wrong: the barrier is in use. Call inval_barrier(&bar) first.') :
          {
            bar: fresh(count),
            rules: [],
            said: `Phase 0 begins. It wants ${
                count === 1 ? 'one arrival' : `${count} arrivals`}, and no bytes yet.`
          }
    ],
    [/^arrive\(&bar\)$/, (bar) => arrive(bar, 0)],
    [/^expect_bytes\(&bar, (\d+)\)$/, announce],
    [/^expect_bytes_and_arrive\(&bar, (\d+)\)$/, arrive],
    [/^(\d+) bytes land$/, land],
    [/^thread (\d+): wait\(&bar, ([01])\)$/, wait],
    [/^nothing more comes$/, end],
  ];

  const act = (state, step) => {
    for (const [form, act] of forms) {
      const match = form.exec(step);
      if (!match) continue;
      const bar = state.bar;
      if (!bar && !step.startsWith('init'))
        return {
          state,
          said: 'Wrong: nobody has initialised the barrier.',
          rules: ['barrier-not-initialised']
        };
      const done = act(bar, ...match.slice(1).map(Number));
      return {state: {bar: done.bar}, said: done.said, rules: done.rules};
    }
    throw new Error(`barrier: what is "${step}"?`);
  };

  const sleepers = (bar) => Object.keys(bar.asleep).map((thread) => `thread ${thread}`).join(', ');

  window.stepperModels = window.stepperModels || {};
  window.stepperModels.barrier = {
    start: () => ({bar: null}),
    act,
    actions: [
      'init_barrier(&bar, 1)', 'arrive(&bar)', 'expect_bytes(&bar, 4096)',
      'expect_bytes_and_arrive(&bar, 4096)', '4096 bytes land', 'thread 1: wait(&bar, 0)',
      'thread 1: wait(&bar, 1)', 'thread 2: wait(&bar, 0)', 'thread 2: wait(&bar, 1)', 'nothing more comes'
    ],
    allowed: (state, step) => {
      if (step.startsWith('init')) return !state.bar;
      const thread = /^thread (\d+)/.exec(step);
      return Boolean(state.bar) && !(thread && thread[1] in state.bar.asleep);
    },
    // One row of the page's table.
    columns: ['arrivals owed', 'bytes owed', 'phase', 'asleep'],
    row: ({bar}) =>
        bar ? [bar.arrivals, bar.bytes, bar.phase, sleepers(bar) || '-'].map(String) : ['-', '-', '-', '-'],
    // What is drawn: groups of boxes.
    view: ({bar}) => {
      const thread = (number) => {
        const asleep = bar && number in bar.asleep;
        return {
          label: `thread ${number}`,
          tone: asleep ? 'asleep' : 'calm',
          value: asleep ? `sleeps in wait(&bar, ${bar.asleep[number]})` : 'runs'
        };
      };
      const count = (label, value) =>
          ({label, value: bar ? String(value) : '-', tone: bar && value ? 'owed' : 'calm'});
      return [
        {
          title: 'the barrier',
          boxes: [
            count('arrivals owed', bar && bar.arrivals), count('bytes owed', bar && bar.bytes),
            {label: 'phase', value: bar ? String(bar.phase) : '-', tone: 'calm'},
            {label: 'its parity', value: bar ? (bar.phase % 2 ? '1, odd' : '0, even') : '-', tone: 'calm'},
            {
              label: 'last completed',
              tone: 'calm',
              value: !bar   ? '-' :
                  bar.phase ? String(bar.phase - 1) :
                              'none (counts as odd)'
            }
          ]
        },
        {title: 'who waits', boxes: [thread(1), thread(2)]},
      ];
    },
    // For the models that are made of barriers.
    parts: {fresh, returns, arrive, land, wait, settle},
  };
})();
