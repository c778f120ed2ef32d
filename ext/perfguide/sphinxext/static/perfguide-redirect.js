/* Leads from an old address to the new one, keeping the section and cell that it names. */
(() => {
  const target = new URL(document.currentScript.dataset.target, location.href);
  target.search = location.search;
  if (location.hash.length > 1) target.hash = location.hash;
  location.replace(target);
})();
