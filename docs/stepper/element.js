// makeElement(NAME, ATTRIBUTES, CHILD ..): an element of the page; an attribute that begins with "on" is a
// listener. What the players of this folder share.
window.makeElement = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith('on'))
      element.addEventListener(key.slice(2), value);
    else
      element.setAttribute(key, value);
  element.append(...children);
  return element;
};
