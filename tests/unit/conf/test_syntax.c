/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are no YAML, or YAML past the limits: one error that says where, and what to write. */
#include "conf_test.h"

Test(syntax, says_what_was_written)
{
	static const struct row rows[] = {
		{HEAD "ports:\n\t- name: p0\n",
			"4:1: syntax: got a tab, want spaces for indentation"},
		{HEAD "ports:\n  - name: p0\n\tdevice: d0\n",
			"5:1: syntax: got a tab, want spaces for indentation"},
		{HEAD "ports: [\n", "4:1: syntax: got something else where a value or an item "
				    "belongs, want one"},
		{HEAD "ports: {a: b\n",
			"4:1: syntax: got no ',' or '}', want the end of a mapping (begun at 3:8)"},
		{HEAD "ports: [}\n", "3:9: syntax: got something else where a value or an item "
				     "belongs, want one"},
		{HEAD "ports: [a\nb: c\n",
			"4:2: syntax: got no ',' or ']', want the end of a list (begun at 3:8)"},
		{HEAD "ports: \"abc\n", "4:1: syntax: got the end of the file, want the closing "
					"quote (begun at 3:8)"},
		{HEAD "ports: 'abc\n", "4:1: syntax: got the end of the file, want the closing "
				       "quote (begun at 3:8)"},
		{HEAD "ports: @x\n",
			"3:8: syntax: got '@' at the start of a value, want it in quotes"},
		{HEAD "ports: `x\n",
			"3:8: syntax: got '`' at the start of a value, want it in quotes"},
		{HEAD "ports: a: b\n",
			"3:9: syntax: got a ':' that makes no key here, want quotes around a value "
			"that holds ': ' or ends in ':' (\"10:10::\")"},
		{HEAD "ports\n", "4:1: syntax: got a text alone, want `key: value` (begun at 3:1)"},
		{HEAD "  ports: x\n", "3:3: syntax: got something that is no key, want `key: "
				      "value` in the column of the keys above (begun at 1:1)"},
		{HEAD "ports:\n  - a\n b\n",
			"4:5: ports[0]: got a, want a mapping\n"
			"5:2: syntax: got something that is no key, want `key: value` in the "
			"column of the keys above (begun at 1:1)"},
		{HEAD "ports: - a\n", "3:8: syntax: got '- ' that starts no list here, want it in "
				      "a line of its own"},
		{HEAD "ports: \"\\q\"\n", "3:9: syntax: got an unknown escape, want '\\\\' for a "
					  "backslash in double quotes (begun at 3:8)"},
		{HEAD "%x: y\n",
			"3:3: syntax: got what is no YAML (while scanning a directive: found "
			"unexpected non-alphabetical character), want YAML 1.1 (begun at 3:1)"},
		{"%YAML 2.0\n---\nversion: 1\n", "1:1: syntax: got what is no YAML (found "
						 "incompatible YAML document), want YAML 1.1"},
	};

	EXPECT_ROWS(rows);
}

Test(syntax, one_document_a_file)
{
	static const struct row rows[] = {
		{"---\n" PORTS, ""},
		{"%YAML 1.1\n---\n" PORTS "...\n", ""},
		{PORTS "---\nversion: 1\n", "4:1: file: got a second document, want one a file"},
		{PORTS "---\n", "4:1: file: got a second document, want one a file"},
		{PORTS "...\nversion: 1\n",
			"5:1: syntax: got more after the document's end, want one document a file"},
	};

	EXPECT_ROWS(rows);
}

Test(syntax, a_file_is_a_mapping)
{
	static const struct row rows[] = {
		{"", "1:1: file: got nothing in it, want `version: 1` first"},
		{"\n\n", "1:1: file: got nothing in it, want `version: 1` first"},
		{"# nothing\n", "1:1: file: got nothing in it, want `version: 1` first"},
		{"---\n...\n", "2:1: file: got nothing, want a mapping"},
		{"hello\n", "1:1: file: got hello, want a mapping"},
		{"- a\n", "1:1: file: got a list, want a mapping"},
		{"|\n x\n", "1:1: file: got \"x\\x0a\", want a mapping"},
	};

	EXPECT_ROWS(rows);
}

Test(syntax, nesting_is_bounded)
{
	static const struct row rows[] = {
		{"a: {b: {c: {d: {e: {f: {g: {h: {i: {j: {k: {l: {m: {n: {o: {p: {}}}}}}}}}}}}}}}}",
			"1:64: file: got lists and mappings nested deeper than 16, want at most "
			"16"},
		{"- - - - - - - - - - - - - - - - - x\n", "1:33: file: got lists and mappings "
							  "nested deeper than 16, want at most 16"},
		{"? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? ? x\n",
			"1:3: file: got a mapping as a key, want a text\n"
			"1:33: file: got lists and mappings nested deeper than 16, want at most "
			"16"},
		{"{{{{{{{{{{{{{{{{{", "1:2: file: got a mapping as a key, want a text\n"
				      "1:17: file: got lists and mappings nested deeper than 16, "
				      "want at most 16"},
	};
	static char brackets[4096];

	EXPECT_ROWS(rows);
	memset(brackets, '[', sizeof(brackets));
	expect_errors(brackets, sizeof(brackets),
		"1:17: file: got lists and mappings nested deeper than 16, want at most 16");
}
