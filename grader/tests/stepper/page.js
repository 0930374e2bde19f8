// In: the pages with steppers, each in a frame. Out: {said, presets}: what is wrong with them, and the
// presets that their tables hold. The idea: a reader who presses "Next" must see what the tables say, and
// needs no pointer.
window.stepperPages = (frames) => {
  const said = [], presets = [];
  const words = (element) => element.textContent.replace(/\s+/g, ' ').trim();

  const playPresets = (frame, section) => {
    const say = (what) => said.push(`${frame.dataset.name}, ${section.dataset.model}: ${what}`);
    const inside = frame.contentDocument, model = frame.contentWindow.stepperModels[section.dataset.model];
    const player = section.querySelector('.player');
    if (!player) return say('its script did not run');
    const [next, back, again] = player.querySelectorAll('.buttons button'),
                       live = player.querySelector('.said');
    const choice = player.querySelector('select');
    if (live.getAttribute('aria-live') !== 'polite') say('nobody who listens hears what happens');
    if (!inside.querySelector(`label[for="${choice.id}"]`)) say('the choice has no label');
    const tables = section.querySelectorAll('.preset table');
    if (tables.length < 6 || choice.options.length !== tables.length + 1) say(`${tables.length} presets`);
    tables.forEach((table, number) => {
      choice.value = number;
      choice.dispatchEvent(new Event('change'));
      const rows = [...table.tBodies[0].rows], title = choice.options[number].textContent;
      const heads = [...table.tHead.rows[0].cells].map((cell) => words(cell));
      if (heads.slice(1, -1).join() !== model.columns.join())
        say(`${title}: the columns are ${model.columns}`);
      const data = [...table.closest('.preset').attributes].filter(({name}) => name.startsWith('data-'));
      const options = Object.fromEntries(
          data.map(({name, value}) => [name.slice(5), /^\d+$/.test(value) ? Number(value) : value]));
      let state = model.start(options), wrong = false;
      presets.push({model: section.dataset.model, steps: rows.map((row) => words(row.cells[0]))});
      for (const row of rows) {
        const cells = [...row.cells].map((cell) => words(cell));
        const done = model.act(state, cells[0]);
        state = done.state;
        wrong = wrong || done.rules.length > 0;
        const rules = done.rules.map((rule) => ` Rule ${rule}.`).join('');
        const right = [cells[0], ...model.row(state), done.said + rules].join(' | ');
        if (right !== cells.join(' | ')) say(`${title}: the table should say | ${right} |`);
        next.focus();
        next.click();
        if (inside.activeElement !== next) say(`${title}: the button loses the focus`);
        if (words(live) !== `${cells[0]} ${done.said}${rules}`)
          say(`${title}: the page says: ${live.textContent}`);
        const values = model.view(state).flatMap(({boxes}) => boxes.map(({value}) => value)).join();
        const drawn = [...player.querySelectorAll('.value')].map((value) => value.textContent).join();
        if (values !== drawn) say(`${title}: ${drawn} is drawn, not ${values}`);
      }
      if (title.startsWith('Mistake') !== wrong)
        say(`${title}: ${wrong ? 'breaks a rule' : 'breaks no rule'}`);
      if (next.getAttribute('aria-disabled') !== 'true') say(`${title}: goes on after its end`);
      const before = live.textContent;
      next.click();
      if (live.textContent !== before) say(`${title}: a step after the last one`);
      back.click();
      if (live.textContent === before && rows.length > 1) say(`${title}: "Back" does nothing`);
      again.click();
      if (back.getAttribute('aria-disabled') !== 'true') say(`${title}: "Start again" does not`);
    });
    // Free play: every step that is allowed can be pressed.
    choice.value = tables.length;
    choice.dispatchEvent(new Event('change'));
    const free = [...player.querySelectorAll('.actions button')];
    if (free.length !== model.actions.length || player.querySelector('.actions').hidden)
      say('no free play');
    free[0].click();
    if (!live.textContent.startsWith(model.actions[0])) say(`free play: ${live.textContent}`);
    for (const link of section.querySelectorAll('.said a, .log a, .preset a'))
      if (!/^rule-[a-z-]+\.html$/.test(link.getAttribute('href'))) say(`a link to ${link.href}`);
  };

  const playSwizzle = (frame, section) => {
    const say = (what) => said.push(`${frame.dataset.name}, swizzle: ${what}`);
    const {swizzle} = frame.contentWindow.stepperModels, inside = frame.contentDocument;
    const live = section.querySelector('.said'), grid = section.querySelector('[role=grid]');
    if (!grid) return say('its script did not run');
    const choice = section.querySelector('select');
    for (const mode of Object.keys(swizzle.modes)) {
      choice.value = mode;
      choice.dispatchEvent(new Event('change'));
      const cells = [...grid.querySelectorAll('[role=gridcell]')];
      if (cells.length !== 256) say(`${mode}: ${cells.length} words`);
      cells.forEach((cell, i) => {
        const [, x, y, bank] =
            /x (\d+), y (\d+), bank (\d+)/.exec(cell.getAttribute('aria-label')).map(Number);
        const place = swizzle.place(mode, x, y);
        if (place.address !== i * 4 || place.bank !== bank || bank !== i % 32)
          say(`${mode}: (${x}, ${y}) at ${i}`);
      });
      if (cells.filter((cell) => cell.tabIndex === 0).length !== 1)
        say(`${mode}: not one stop for the keyboard`);
      cells[40].dispatchEvent(new Event('mouseenter'));
      const hovered = live.textContent;
      const key = new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, cancelable: true});
      grid.dispatchEvent(key);
      if (!key.defaultPrevented || live.textContent === hovered) say(`${mode}: the arrow key does nothing`);
      if (inside.activeElement !== grid.querySelector('.chosen')) say(`${mode}: the focus does not follow`);
      if (!/bank \d+\. A warp that reads column \d+/.test(hovered)) say(`${mode}: ${hovered}`);
    }
    const rows =
        [...section.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => words(cell)));
    Object.keys(swizzle.modes).forEach((mode, i) => {
      const places = [0, 1, 2, 3].map((y) => swizzle.place(mode, 2, y));
      const right = [
        mode === 'none' ? 'no swizzle' : `SWIZZLE_${mode}`, `${swizzle.modes[mode].span} bytes`,
        places.map(({address}) => `0x${address.toString(16)}`).join(', '),
        places.map(({bank}) => bank).join(', '), `${swizzle.ways(mode, 2)}-way`
      ].join(' | ');
      if (!rows[i] || rows[i].join(' | ') !== right) say(`the table should say | ${right} |`);
    });
  };

  for (const frame of frames) {
    const sections = frame.contentDocument.querySelectorAll('.stepper');
    if (sections.length === 0) said.push(`${frame.dataset.name}: no stepper`);
    for (const section of sections)
      (section.dataset.model === 'swizzle' ? playSwizzle : playPresets)(frame, section);
  }
  return {said, presets};
};
