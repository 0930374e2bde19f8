// Comforts, none of them needed to read: search, and buttons that copy code. Search words are loaded at the
// first key.
(() => {
  const form = document.querySelector('.search'), field = document.getElementById('search');
  const found = document.getElementById('found');
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = found.querySelector('a');
    if (first) location.href = first.href;
  });

  const load = () => {
    if (window.searchEntries || document.getElementById('search-words')) return;
    const script = document.createElement('script');
    script.id = 'search-words';
    script.src = 'search.js';
    script.onload = show;
    document.head.append(script);
  };

  // A section counts more for a word in its title, and most where the title is the word.
  const score = ([, page, title, text], words) => {
    let sum = 0;
    for (const word of words) {
      const inTitle = title.toLowerCase(), inPage = page.toLowerCase();
      const one = (inTitle === word ? 20 : 0) + (inTitle.includes(word) ? 10 : 0) +
        (inPage.includes(word) ? 3 : 0) +
        Math.min(text.toLowerCase().split(word).length - 1, 3);
      if (one === 0) return 0;
      sum += one;
    }
    return sum;
  };

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    found.hidden = words.length === 0 || !window.searchEntries;
    if (found.hidden) return;
    const hits = window.searchEntries.map((entry) => [score(entry, words), entry])
      .filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, 12);
    for (const [, [target, page, title]] of hits) {
      const item = document.createElement('li'), link = document.createElement('a');
      link.href = target;
      link.textContent = title === page ? page : `${title} (${page})`;
      item.append(link);
      found.append(item);
    }
    if (hits.length === 0) {
      const item = document.createElement('li');
      item.textContent = 'Nothing found.';
      found.append(item);
    }
  };
  field.addEventListener('focus', load);
  field.addEventListener('input', () => { load(); show(); });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { field.value = ''; found.hidden = true; }
    if (event.key === '/' && document.activeElement === document.body) {
      event.preventDefault();
      field.focus();
    }
  });

  // A sign over whatever can be scrolled sideways.
  for (const box of document.querySelectorAll('main .table-box, main figure')) {
    const sign = document.createElement('p');
    sign.className = 'sideways';
    sign.textContent = 'Scroll sideways to see all of it \u2192';
    box.prepend(sign);
    const look = () => box.classList.toggle('wider', box.scrollWidth > box.clientWidth + 1);
    new ResizeObserver(look).observe(box);
    look();
    if (!box.hasAttribute('tabindex')) box.tabIndex = 0;
  }

  for (const code of document.querySelectorAll('main pre')) {
    if (!navigator.clipboard) break;
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.className = 'copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    const box = document.createElement('div');
    box.className = 'code';
    code.replaceWith(box);
    box.append(code, button);
  }
})();
