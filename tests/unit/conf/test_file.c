/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading: what is no file, what is too large, what is no text. */
#include <errno.h>
#include <unistd.h>

#include "conf_test.h"

static char folder[] = "/tmp/conf-test-XXXXXX";
static char path[128];

static void
in_a_folder(void)
{
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/t.yaml", folder);
}

static void
tidy(void)
{
	unlink(path);
	rmdir(folder);
}

TestSuite(file, .init = in_a_folder, .fini = tidy);

static void
write_file(const void *bytes, size_t len)
{
	FILE *out = fopen(path, "w");

	cr_assert_not_null(out);
	cr_assert_eq(fwrite(bytes, 1, len, out), len);
	cr_assert_eq(fclose(out), 0);
}

/* One error, printed as it should be, and a status. */
static void
expect_load(const char *file, int status, const char *want)
{
	struct conf *c = NULL;
	struct conf_errors e;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int rc = conf_load(file, &c, &e);

	conf_errors_print(&e, "f", out);
	fclose(out);
	cr_expect_eq(rc, status, "status %d", rc);
	cr_expect_null(c);
	cr_expect_str_eq(text, want);
	free(text);
	conf_errors_fini(&e);
}

Test(file, that_is_missing)
{
	expect_load(path, -ENOENT,
		"f: file: got \"No such file or directory\", want a file that can be read\n");
}

Test(file, that_is_a_folder)
{
	expect_load(folder, -EISDIR, "f: file: got \"Is a directory\", want a file\n");
}

Test(file, of_100_megabytes_is_refused_by_size)
{
	FILE *out = fopen(path, "w");
	char block[65536];

	memset(block, '#', sizeof(block));
	for (unsigned int i = 0; i < 100000000 / sizeof(block) + 1; i++)
		fwrite(block, 1, sizeof(block), out);
	fclose(out);
	cr_assert_eq(truncate(path, 100000000), 0);
	expect_load(path, -EFBIG, "f: file: got 100000000 bytes, want at most 67108864\n");
}

/* It has no size to ask for: reading ends one byte past the limit. */
Test(file, without_an_end_is_refused_by_size)
{
	expect_load("/dev/zero", -EFBIG, "f: file: got 67108865 bytes, want at most 67108864\n");
}

Test(file, of_the_largest_size_is_read)
{
	static char blank[CONF_FILE_MAX];

	memset(blank, ' ', sizeof(blank));
	memset(blank, '\n', 1);
	write_file(blank, sizeof(blank));
	expect_load(path, -EINVAL, "f:1:1: file: got nothing in it, want `version: 1` first\n");
}

Test(file, that_is_a_pipe_is_read)
{
	char name[32];
	int fd[2];
	struct conf *c = NULL;
	struct conf_errors e;

	cr_assert_eq(pipe(fd), 0);
	cr_assert_eq(write(fd[1], GROUP, strlen(GROUP)), (ssize_t)strlen(GROUP));
	close(fd[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd[0]);
	cr_expect_eq(conf_load(name, &c, &e), 0);
	cr_expect_eq(c->n_groups, 1);
	conf_free(c);
	conf_errors_fini(&e);
	close(fd[0]);
}

Test(file, that_is_empty)
{
	write_file("", 0);
	expect_load(path, -EINVAL, "f:1:1: file: got nothing in it, want `version: 1` first\n");
}

Test(file, that_is_binary)
{
	static const unsigned char elf[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0};
	static const unsigned char gzip[] = {0x1f, 0x8b, 8, 0};
	static const unsigned char pcap[] = {0xd4, 0xc3, 0xb2, 0xa1};

	write_file(elf, sizeof(elf));
	expect_load(path, -EINVAL,
		"f:1:1: file: got the control character U+007F, want a text file in UTF-8\n");
	write_file(gzip, sizeof(gzip));
	expect_load(path, -EINVAL,
		"f:1:1: file: got the control character U+001F, want a text file in UTF-8\n");
	write_file(pcap, sizeof(pcap));
	expect_load(path, -EINVAL,
		"f:1:1: file: got the byte 0xd4, which is no UTF-8, want a text file in UTF-8\n");
}

Test(file, with_a_nul)
{
	static const char yaml[] = GROUP "hash:\n  seed: 1\0 2\n";

	write_file(yaml, sizeof(yaml) - 1);
	expect_load(path, -EINVAL, "f:6:10: file: got a NUL byte, want a text file in UTF-8\n");
}

Test(file, with_bytes_that_are_no_utf8)
{
	static const char *const bad[] = {"\xff", "\xc3(", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80",
		"\xf4\x90\x80\x80", "\x80"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char yaml[256], want[128];

		snprintf(yaml, sizeof(yaml), HEAD "# \xc3\xbc %s\n", bad[i]);
		snprintf(want, sizeof(want),
			"f:3:5: file: got the byte 0x%02x, which is no UTF-8, want a text file in "
			"UTF-8\n",
			(unsigned char)bad[i][0]);
		write_file(yaml, strlen(yaml));
		expect_load(path, -EINVAL, want);
	}
}

Test(file, in_utf16)
{
	write_file("\xff\xfev\0e\0", 6);
	expect_load(path, -EINVAL, "f:1:1: file: got UTF-16, want UTF-8\n");
}

Test(file, with_a_byte_order_mark_is_read)
{
	static const char yaml[] = "\xef\xbb\xbf" GROUP;

	expect_errors(yaml, strlen(yaml), "");
}

Test(file, of_bytes_past_the_limit_is_refused_when_parsed_from_memory)
{
	static char blank[CONF_FILE_MAX + 1u];
	struct parsed p = parse_bytes(blank, sizeof(blank));

	cr_expect_eq(p.rc, -EFBIG);
	cr_assert_eq(p.e.n, 1);
	cr_expect_str_eq(p.e.error[0].text, "file: got 67108865 bytes, want at most 67108864");
	parsed_fini(&p);
}
