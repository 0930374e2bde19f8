// Who sees what: two threads, each with its own word of a tile, and the copy engine. In: a state and a
// step. Out: the next state, and a sentence. The idea: a version number for each word. A thread or the
// engine is guaranteed to see a version only when something has led from the writer to it (PTX ISA 9.1,
// section 8.6).
(() => {
  const start = () => ({
    now: [{version: 0, by: 'earlier code'}, {version: 0, by: 'earlier code'}],
    knows: [[0, 0], [0, 0]],   // knows[thread][word]: the version that the thread is sure to see
    fenced: [[0, 0], [0, 0]],  // the version that a copy which this thread issues is sure to see
    load: null,
    landed: null,
    reading: false,       // a store of thread 0 may be reading the tile
    readers: [[], []],    // readers[word]: threads that have read it since all met
    told: [true, false],  // told[thread]: it has met thread 0 since that one ordered its copy
  });

  const put = (table, thread, row) => table.map((old, i) => i === thread ? row : old);
  const most = (a, b) => a.map((one, i) => Math.max(one, b[i]));

  const write = (state, thread) => {
    const version = state.now[thread].version + 1;
    const rules = [];
    let said = `tile[${thread}] is new. Only thread ${thread} is sure to see it.`;
    if (state.reading) {
      rules.push(state.told[thread] ? 'buffer-in-flight' : 'shared-race');
      said += ' Wrong: a store may still be reading the tile.';
    }
    if (state.readers[thread].some((reader) => reader !== thread)) {
      rules.push('shared-race');
      said += ` Wrong: thread ${1 - thread} may still be reading it.`;
    }
    if (state.load !== null || state.knows[thread][thread] < state.now[thread].version) {
      rules.push(state.told[thread] ? 'tile-before-phase' : 'buffer-still-read');
      said += ` Wrong: a load writes the tile, too, and thread ${thread} has not waited for it.`;
    }
    return {
      rules,
      said,
      state: {
        ...state,
        now: state.now.map((old, i) => i === thread ? {version, by: `thread ${thread}`} : old),
        knows: put(state.knows, thread, state.knows[thread].map((old, i) => i === thread ? version : old))
      }
    };
  };

  const fence = (state, thread) => {
    const covered = state.now.map((word, i) => i)
                        .filter((i) => state.knows[thread][i] > state.fenced[thread][i])
                        .map((i) => `tile[${i}]`);
    const fenced = put(state.fenced, thread, most(state.fenced[thread], state.knows[thread]));
    return {
      rules: [],
      state: {...state, fenced},
      said: covered.length === 0 ?
          `The fence has nothing to do: thread ${thread} has seen no write since its last one.` :
          `What thread ${thread} sees of ${
              covered.join(' and ')} is now visible to the engine, in copies that ` +
              `thread ${thread} orders.`
    };
  };

  const meet = (state) => {
    const knows = most(...state.knows), fenced = most(...state.fenced);
    return {
      rules: [],
      state: {
        ...state,
        knows: [knows, knows],
        fenced: [fenced, fenced],
        readers: [[], []],
        told: [true, true]
      },
      said:
          'Each thread sees what the other wrote. This is no fence: for the engine only fenced writes count.'
    };
  };

  // What a copy that thread 0 orders is not sure to see: words, and by which rule.
  const unseen = (state) => state.now.flatMap((word, i) => {
    if (state.load !== null) return [{word: i, rule: 'tile-before-phase'}];
    if (state.fenced[0][i] >= word.version) return [];
    const unmet = word.by === 'the engine' ? 'tile-before-phase' : 'shared-race';
    return [{word: i, rule: state.knows[0][i] >= word.version ? 'proxy-fence' : unmet}];
  });

  const complain = (faults, verb) => {
    if (faults.length === 0) return '';
    const words = faults.map(({word}) => `tile[${word}]`).join(' and ');
    if (faults.some(({rule}) => rule === 'tile-before-phase'))
      return ` Wrong: thread 0 has not waited for the load of ${words}.`;
    return faults.some(({rule}) => rule === 'shared-race') ?
        ` Wrong: thread 0 has not met the writer of ${words} since the write.` :
        ` Wrong: no fence covers the write of ${words}, so ${verb}.`;
  };

  const store = (state) => {
    const faults = unseen(state), rules = [...new Set(faults.map(({rule}) => rule))];
    const sure = faults.length ? 'The engine reads the tile.' :
                                 'The engine reads the tile, and is sure to see both words.';
    return {
      rules,
      state: {...state, reading: true, told: [true, false]},
      said: sure + complain(faults, 'the engine may read the old value')
    };
  };

  const load = (state) => {
    // Whoever has not met thread 0 may be reading or writing the tile at this moment.
    const faults = unseen(state), read = state.readers.some((readers) => readers.includes(1));
    const rules = faults.map(({rule}) => rule === 'shared-race' ? 'buffer-still-read' : rule);
    const late = read ? ' Wrong: thread 1 may still be reading the tile.' : '';
    return {
      rules: [...new Set(read ? ['buffer-still-read', ...rules] : rules)],
      state: {...state, load: 'in flight', told: [true, false]},
      said: `The engine fetches new values.${complain(faults, 'the old write may come last')}${late}`
    };
  };

  const land = (state) => {
    if (state.load === null) return {state, rules: [], said: 'No load is in flight.'};
    const now = state.now.map(({version}) => ({version: version + 1, by: 'the engine'}));
    return {
      rules: [],
      said: 'The tile is there, and the phase is complete. Who has not waited is sure of nothing.',
      state: {...state, now, load: null, landed: now.map(({version}) => version)}
    };
  };

  const wait = (state, thread) => {
    if (state.landed === null)
      return {state, rules: [], said: `Thread ${thread} sleeps: the tile is not there yet.`};
    return {
      rules: [],
      said: `Thread ${thread} has seen the phase complete, so it sees the tile. No fence is needed.`,
      state: {
        ...state,
        told: state.told.map((told, i) => told || i === thread),
        knows: put(state.knows, thread, most(state.knows[thread], state.landed)),
        fenced: put(state.fenced, thread, most(state.fenced[thread], state.landed))
      }
    };
  };

  const read = (state, thread) => {
    const old = state.now.map((word, i) => i).filter((i) => state.knows[thread][i] < state.now[i].version);
    if (state.load !== null)
      return {
        state,
        rules: [state.told[thread] ? 'tile-before-phase' : 'buffer-still-read'],
        said: `Wrong: the load is still in flight, and thread ${thread} reads.`
      };
    const after = {...state, readers: state.readers.map((readers) => [...readers, thread])};
    if (old.length === 0)
      return {state: after, rules: [], said: `Thread ${thread} sees both words as they are now.`};
    const late = state.told[thread] ? 'tile-before-phase' : 'buffer-still-read';
    const engine = old.some((i) => state.now[i].by === 'the engine');
    return {
      state: after,
      rules: [engine ? late : 'shared-race'],
      said: `Wrong: thread ${thread} may see an old value of ${old.map((i) => `tile[${i}]`).join(' and ')}.`
    };
  };

  const forms = [
    [/^thread ([01]): tile\[\1\] = .*$/, write],
    [/^thread ([01]): async_proxy_fence\(\)$/, fence],
    [/^__syncthreads\(\)$/, meet],
    [/^thread 0 stores the tile$/, store],
    [/^thread 0 loads the tile$/, load],
    [/^the bytes land$/, land],
    [/^thread ([01]): wait\(&bar, 0\)$/, wait],
    [/^thread ([01]) reads the tile$/, read],
  ];

  const act = (state, step) => {
    for (const [form, act] of forms) {
      const match = form.exec(step);
      if (match) return act(state, ...match.slice(1).map(Number));
    }
    throw new Error(`proxies: what is "${step}"?`);
  };

  const engineSees = (state, word) => state.fenced[0][word] >= state.now[word].version;
  const sees = (state, thread, word) =>
      state.load === null && state.knows[thread][word] >= state.now[word].version;
  const words = (state, see) => {
    const seen = [0, 1].filter(see);
    return seen.length === 2 ? 'both words' : seen.length === 0 ? 'neither' : `tile[${seen[0]}] only`;
  };

  window.stepperModels = window.stepperModels || {};
  window.stepperModels.proxies = {
    start,
    act,
    actions: [
      'thread 0: tile[0] = 1', 'thread 1: tile[1] = 1', 'thread 0: async_proxy_fence()',
      'thread 1: async_proxy_fence()', '__syncthreads()', 'thread 0 stores the tile',
      'thread 0 loads the tile', 'the bytes land', 'thread 0: wait(&bar, 0)', 'thread 1: wait(&bar, 0)',
      'thread 0 reads the tile', 'thread 1 reads the tile'
    ],
    // One load is enough: its barrier has one phase here.
    allowed: (state, step) => step === 'the bytes land' ? state.load !== null :
        step.endsWith('loads the tile') ? state.load === null && state.landed === null && !state.reading :
                                          !step.includes('wait(') || state.landed !== null,
    columns: ['thread 0 sees', 'thread 1 sees', 'a copy of thread 0 sees'],
    row: (state) =>
        [words(state, (word) => sees(state, 0, word)), words(state, (word) => sees(state, 1, word)),
         words(state, (word) => engineSees(state, word))],
    view: (state) => state.now.map(
        (word, i) => ({
          title: `tile[${i}], written last by ${word.by}${state.load ? '; a load is on its way' : ''}`,
          boxes: [
            [`thread 0`, sees(state, 0, i)], [`thread 1`, sees(state, 1, i)],
            ['engine, for thread 0', engineSees(state, i)]
          ].map(([label, sure]) => ({
                  label,
                  value: sure ? 'is sure to see it' : 'may see an old value',
                  tone: sure ? 'calm' : 'asleep'
                }))
        })),
  };
})();
