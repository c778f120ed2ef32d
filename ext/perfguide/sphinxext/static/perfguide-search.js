/* Loads the search index. The theme does so in an inline script, which a strict policy forbids. */
(() => {
  const index = document.currentScript.dataset.index;
  jQuery(() => Search.loadIndex(index));
})();
