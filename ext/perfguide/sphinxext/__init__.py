"""Everything that depends on Sphinx: directives, roles, nodes, the theme, the steps of a build."""
