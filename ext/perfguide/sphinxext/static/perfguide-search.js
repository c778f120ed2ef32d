/* Loads the search index, as the theme itself does by a script in the search page. */
(() => {
  const index = document.currentScript.dataset.index;
  jQuery(() => Search.loadIndex(index));
})();
