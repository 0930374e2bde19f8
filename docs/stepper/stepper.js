// Plays a model step by step. In: a section of class "stepper" with tables of steps, which anybody can read
// without this script. Out: the same section with buttons in front of the tables. The idea: the tables are
// the presets, so page and script can't say different things.
(() => {
  const make = window.makeElement;

  // What a table says: its steps, and the options that the preset carries.
  const presetsOf = (section) => [...section.querySelectorAll('.preset')].map(
      (preset) => ({
        title: preset.querySelector('summary').textContent.trim(),
        options: Object.fromEntries(
            [...preset.attributes]
                .filter(({name}) => name.startsWith('data-'))
                .map(({name, value}) => [name.slice(5), /^\d+$/.test(value) ? Number(value) : value])),
        steps: [...preset.querySelectorAll('tbody tr')].map((row) => row.cells[0].textContent.trim()),
      }));

  const play = (section, number) => {
    const model = window.stepperModels[section.dataset.model];
    const presets = [...presetsOf(section), {title: 'Free: press what you like', options: {}, steps: null}];
    let preset = presets[0], past = [];  // each entry: {state, step, said, rules}

    const id = `stepper-${number}`;
    const choose = () => {
      preset = presets[choice.value];
      restart();
    };
    const choice = make(
        'select', {id: `${id}-preset`, onchange: choose},
        ...presets.map(({title}, i) => make('option', {value: i}, title)));
    const next =
        make('button', {type: 'button', class: 'main', onclick: () => act(preset.steps[past.length])});
    const back = make(
        'button', {
          type: 'button',
          onclick: () => {
            past.pop();
            show();
          }
        },
        'Back');
    const again = make('button', {type: 'button', onclick: () => restart()}, 'Start again');
    const free = model.actions.map(
        (step) => make(
            'button', {type: 'button', 'data-step': step, onclick: () => act(step)},
            make('code', {}, step)));
    const freely = make('div', {class: 'actions', role: 'group', 'aria-label': 'Steps'}, ...free);
    const boxes = make('div', {class: 'view'});
    const said = make('p', {class: 'said', role: 'status', 'aria-live': 'polite'});
    const log = make('ol', {class: 'log', 'aria-label': 'Steps so far'});

    const now = () => past.length ? past[past.length - 1].state : model.start(preset.options);
    const act = (step) => {
      const before = now();
      past.push({...model.act(before, step), step});
      show();
    };
    const restart = () => {
      past = [];
      show();
    };

    // A button that is pressed must not lose the focus, so it is never disabled, only marked.
    const mark = (button, possible) => {
      button.setAttribute('aria-disabled', String(!possible));
      button.classList.toggle('off', !possible);
    };
    for (const button of [next, back, ...free])
      button.addEventListener('click', (event) => {
        if (button.getAttribute('aria-disabled') === 'true') event.stopImmediatePropagation();
      }, {capture: true});

    const draw = (group, old) => make(
        'div', {class: 'group'}, make('p', {class: 'group-title'}, group.title),
        ...group.boxes.map(
            ({label, value, tone}, i) => make(
                'div', {
                  class: `state ${tone}${
                      old && old.boxes[i] && old.boxes[i].value !== value ? ' changed' : ''}`
                },
                make('span', {class: 'label'}, label), make('span', {class: 'value'}, value))));

    const sentence = ({said, rules}) => {
      const links = rules.map((rule) => make('a', {href: `rule-${rule}.html`}, rule));
      return [said, ...links.flatMap((link) => [' Rule ', link, '.'])];
    };

    const show = () => {
      const state = now(), view = model.view(state);
      const before = past.length > 1 ? past[past.length - 2].state : model.start(preset.options);
      const old = past.length ? model.view(before) : view;
      boxes.replaceChildren(...view.map((group, i) => draw(group, old[i])));
      const last = past[past.length - 1];
      section.classList.toggle('wrong', Boolean(last && last.rules.length));
      const begin = preset.steps ? 'Press "Next" to take the first step.' : 'Press any of the steps.';
      said.replaceChildren(...(last ? [make('code', {}, last.step), ' ', ...sentence(last)] : [begin]));
      log.replaceChildren(...past.slice(0, -1).map(
          (one) => make('li', {}, make('code', {}, one.step), ' ', ...sentence(one))));
      const coming = preset.steps && preset.steps[past.length];
      next.replaceChildren('Next', ...(coming ? [': ', make('code', {}, coming)] : []));
      next.hidden = !preset.steps;
      freely.hidden = Boolean(preset.steps);
      mark(next, Boolean(coming));
      mark(back, past.length > 0);
      for (const button of free) mark(button, model.allowed(state, button.dataset.step));
    };

    const label = make('label', { for: choice.id
    }, 'What to play');
    section.querySelector('.story > p')
        .after(make(
            'div', {class: 'player'}, make('p', {class: 'choice'}, label, ' ', choice), boxes,
            make('p', {class: 'buttons'}, next, back, again), freely, said,
            make('details', {class: 'past'}, make('summary', {}, 'Steps so far'), log)));
    // The tables stay, for whoever would rather read.
    const tables = make('details', {class: 'tables'}, make('summary', {}, 'All of these as tables'));
    section.append(tables);
    tables.append(...section.querySelectorAll('.preset'));
    show();
  };

  document.querySelectorAll('.stepper[data-model]:not([data-model=swizzle])').forEach(play);
})();
