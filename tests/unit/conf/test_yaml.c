/* SPDX-License-Identifier: BSD-3-Clause */
/* From events to a tree: shape, texts, positions, limits. */
#include <errno.h>

#include "conf/yaml.h"
#include "conf_test.h"

static struct tree t;
static struct conf_errors e;

static int
build(const char *yaml)
{
	return yaml_to_tree(yaml, strlen(yaml), &t, &e);
}

static void
tidy(void)
{
	tree_fini(&t);
	conf_errors_fini(&e);
}

TestSuite(yaml, .fini = tidy);

static void
expect_text(uint32_t idx, const char *text, unsigned int line, unsigned int col)
{
	cr_assert_neq(idx, TREE_NONE);
	cr_expect(tree_is(&t, idx, text), "%s", tree_text(&t, idx));
	cr_expect_eq(tree_pos(&t, idx).line, line);
	cr_expect_eq(tree_pos(&t, idx).col, col, "col %u", tree_pos(&t, idx).col);
}

Test(yaml, tree_has_the_shape_and_positions_of_the_file)
{
	uint32_t list, map;

	cr_assert_eq(build("a: 1\nb:\n  - x\n  - {c: 'y z', d: }\n\xc3\xbc: \"\\u00fc\"\n"), 0);
	cr_expect_eq(tree_at(&t, 0)->type, TREE_MAP);
	cr_expect_eq(tree_at(&t, 0)->n, 6);
	expect_text(tree_first(&t, 0), "a", 1, 1);
	expect_text(tree_get(&t, 0, "a"), "1", 1, 4);
	list = tree_get(&t, 0, "b");
	cr_expect_eq(tree_at(&t, list)->type, TREE_LIST);
	cr_expect_eq(tree_at(&t, list)->n, 2);
	expect_text(tree_first(&t, list), "x", 3, 5);
	map = tree_next(&t, tree_first(&t, list));
	expect_text(tree_get(&t, map, "c"), "y z", 4, 9);
	cr_expect(tree_is_null(&t, tree_get(&t, map, "d")));
	cr_expect_eq(tree_next(&t, map), TREE_NONE);
	expect_text(tree_get(&t, 0, "\xc3\xbc"), "\xc3\xbc", 5, 4); /* columns are characters */
	cr_expect_eq(tree_get(&t, 0, "nothing"), TREE_NONE);
	cr_expect_eq(tree_get(&t, list, "x"), TREE_NONE);
	cr_expect_eq(tree_get(&t, TREE_NONE, "x"), TREE_NONE);
}

Test(yaml, empty_quotes_are_not_nothing)
{
	cr_assert_eq(build("a: ''\nb:\n"), 0);
	cr_expect_not(tree_is_null(&t, tree_get(&t, 0, "a")));
	cr_expect(tree_is_null(&t, tree_get(&t, 0, "b")));
}

Test(yaml, items_with_a_proper_name_go_by_it)
{
	uint32_t item;

	cr_assert_eq(build("- {name: a}\n- {name: A}\n- {nome: a}\n- a\n- {name: [a]}\n"), 0);
	item = tree_first(&t, 0);
	cr_expect_str_eq(tree_item_name(&t, item), "a");
	while ((item = tree_next(&t, item)) != TREE_NONE)
		cr_expect_null(tree_item_name(&t, item));
}

Test(yaml, syntax_error_leaves_what_came_before_it)
{
	cr_assert_eq(build("a: 1\nb: [1, 2\nc: 3\n"), -EINVAL);
	cr_expect_eq(e.n, 1);
	expect_text(tree_get(&t, 0, "a"), "1", 1, 4);
}

/* Sixteen levels are in, whatever they are made of. */
Test(yaml, depth_is_bounded)
{
	char s[64] = {0};

	memset(s, '[', CONF_DEPTH_MAX);
	memset(s + CONF_DEPTH_MAX, ']', CONF_DEPTH_MAX);
	cr_expect_eq(build(s), 0);
	tidy();
	memset(s, '[', CONF_DEPTH_MAX + 1);
	memset(s + CONF_DEPTH_MAX + 1, ']', CONF_DEPTH_MAX + 1);
	cr_expect_eq(build(s), -EINVAL);
	cr_expect_eq(e.n, 1);
	cr_expect_eq(e.error[0].pos.col, CONF_DEPTH_MAX + 1);
}

/* A line of `-` alone is the densest there is: two bytes a node. */
Test(yaml, number_of_nodes_is_bounded, .timeout = 120)
{
	size_t n = CONF_NODES_MAX + 10u, len = 2 * n + 1;
	char *s = malloc(len);

	for (size_t i = 0; i < n; i++)
		memcpy(s + 2 * i, "\n-", 2);
	s[2 * n] = '\n';
	cr_expect_eq(yaml_to_tree(s, len, &t, &e), -EINVAL);
	cr_assert_eq(e.n, 1);
	cr_expect_str_eq(
		e.error[0].text, "file: got more than 8388608 values, want at most as many");
	cr_expect_eq(t.n, CONF_NODES_MAX);
	free(s);
}
