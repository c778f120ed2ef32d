/* Starts the theme's navigation. The theme does so in an inline script, which a strict policy forbids. */
(() => {
  const sticky = document.currentScript.dataset.sticky === "true";
  jQuery(() => SphinxRtdTheme.Navigation.enable(sticky));
})();
