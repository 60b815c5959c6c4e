/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the file of conf_load(). Comes before yaml.c; knows nothing of what is in it. */
#include "conf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MIN 65536u /* first guess for a pipe, whose size nobody knows */

static int
fail(struct conf_errors *e, int err, const char *want)
{
	errors_add(e, (struct conf_pos){0}, "file: got \"%s\", want %s", strerror(err), want);
	return -err;
}

int
file_too_large(size_t len, struct conf_errors *e)
{
	errors_add(e, (struct conf_pos){0}, "file: got %zu bytes, want at most %u", len,
		CONF_FILE_MAX);
	return -EFBIG;
}

/* Reads to the end or to one byte more than is allowed. */
static int
read_all(int fd, size_t guess, char **ret_bytes, size_t *ret_len)
{
	size_t size = guess + 1, len = 0;
	char *buf = malloc(size);

	while (buf != NULL && len <= CONF_FILE_MAX) {
		ssize_t n;

		if (len == size) {
			char *bigger = realloc(buf, size * 2);

			if (bigger == NULL)
				break;
			buf = bigger;
			size *= 2;
		}
		n = read(fd, buf + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int err = errno;

			*ret_bytes = buf;
			*ret_len = len;
			if (n < 0)
				free(buf);
			return n < 0 ? -err : 0;
		}
		len += (size_t)n;
	}
	free(buf);
	return len > CONF_FILE_MAX ? -EFBIG : -ENOMEM;
}

static int
read_open(int fd, char **ret_bytes, size_t *ret_len, struct conf_errors *e)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) != 0)
		return fail(e, errno, "a file that can be read");
	if (S_ISDIR(st.st_mode))
		return fail(e, EISDIR, "a file");
	if (S_ISREG(st.st_mode) && (size_t)st.st_size > CONF_FILE_MAX)
		return file_too_large((size_t)st.st_size, e);
	rc = read_all(fd, S_ISREG(st.st_mode) ? (size_t)st.st_size : READ_MIN, ret_bytes, ret_len);
	if (rc == -EFBIG)
		return file_too_large(CONF_FILE_MAX + 1u, e);
	return rc == 0 ? 0 : fail(e, -rc, "a file that can be read");
}

int
file_read(const char *file, char **ret_bytes, size_t *ret_len, struct conf_errors *e)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return fail(e, errno, "a file that can be read");
	rc = read_open(fd, ret_bytes, ret_len, e);
	close(fd);
	return rc;
}
