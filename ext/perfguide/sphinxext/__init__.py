"""Everything that depends on Sphinx: directives, roles, nodes, the theme and the steps of a
build."""
