/* SPDX-License-Identifier: BSD-3-Clause */
/* The worked figures that a person reads. */
#include "conf_test.h"

static char *
explain(const char *yaml)
{
	struct parsed p = parse(yaml);
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	cr_assert_eq(p.rc, 0, "%s", yaml);
	cr_expect_eq(conf_explain(p.c, out), 0);
	fclose(out);
	parsed_fini(&p);
	return text;
}

#define CLASS_ROWS_LOSSY                                                                           \
	"    4  -                           16 MB  no        dwrr 1\n"                             \
	"    5  -                           16 MB  no        dwrr 1\n"                             \
	"    6  -                           16 MB  no        strict\n"                             \
	"    7  -                           16 MB  no        strict\n"

Test(explain, a_long_line_is_worked_out_line_by_line)
{
	static const char want[] =
		"port p0: nsf, 100Gbit/s of frames with preamble and gap (l1), 80km, mtu 1500\n"
		"  one way           400 us          80km x 5 ns/m\n"
		"  round trip        800 us          2 x 400 us\n"
		"  BDP               10 MB           2 x 80km x 5 ns/m x 100Gbit/s\n"
		"  delay line        5 MB            100Gbit/s x (400 us delay + 0 ns jitter + 0 "
		"ns "
		"of what is held back)\n"
		"  ecn               red             by the backlog\n"
		"    mark kmin       1.1 MB          0.11 of one BDP, 10 MB; 2 frames at least\n"
		"    mark kmax       2.3 MB          0.23 of one BDP, 10 MB; 4 frames at least\n"
		"    mark pmax       5 %             as the backlog reaches kmax, from 0 at 1.1 "
		"MB\n"
		"  pfc               class 3         by softbag, for each class:\n"
		"    xon             10.003 MB       a round trip is 10 MB; 2 frames more, 100 KB "
		"at "
		"least\n"
		"    xoff            10.006 MB       2 frames above xon\n"
		"    headroom        11.253 MB       the sum of:\n"
		"      on the line   10 MB           2 x 80km x 5 ns/m x 100Gbit/s\n"
		"      frames        3.076 KB        2 x (1500 + 38) B: one just begun at each "
		"end\n"
		"      pause frame   64 B\n"
		"      response      1.25 MB         100 us x 100Gbit/s: a software loop's turn\n"
		"    held at most    21.259 MB       xoff + headroom\n"
		"    pause           335.539 us      65535 quanta x 512 bit; renewed within "
		"167.769 "
		"us\n"
		"\n"
		"class  name              limit at a port  lossless  scheduler\n"
		"    0  -                           16 MB  no        dwrr 1\n"
		"    1  -                           16 MB  no        dwrr 1\n"
		"    2  -                           16 MB  no        dwrr 1\n"
		"    3  rdma                        32 MB  yes       dwrr 50\n" CLASS_ROWS_LOSSY;
	char *got =
		explain(PORT("rate: 100Gbit, distance: 80km, delay: emulate, ecn: auto, pfc: "
			     "{classes: [3]}") "classes: [{class: 3, name: rdma, lossless: true, "
					       "scheduler: {dwrr: 50}}]\n");

	cr_expect_str_eq(got, want, "%s", got);
	free(got);
}

Test(explain, ports_without_queues_are_left_out)
{
	char *got = explain(PORTS);

	cr_expect_eq(strncmp(got, "class  name", 11), 0, "%s", got);
	free(got);
}

Test(explain, given_figures_are_told_from_computed_ones)
{
	char *got = explain(PORT(
		"rate: 10Gbit, rate_layer: l2, delay: 5ms, impair: {jitter: 10us, reorder: 1%}, "
		"ecn: {kmin: 100KB, kmax: 400KB, pmax: 20%, drop: {kmin: 1MB, kmax: 2MB, pmax: "
		"100%}}, ecn_by_class: [{class: 3, ecn: phantom}, {class: 7, ecn: off}], pfc: "
		"{classes: [3, 4], headroom: 1MB, mode: hardware}") "classes: [{class: 3, name: a, "
								    "lossless: true}, {class: 4, "
								    "name: b, lossless: true}]\n");
	static const char *const want[] = {
		"10Gbit/s of frames (l2)",
		"  one way           5 ms            5ms\n",
		"  BDP               12.5 MB         2 x 5ms x 10Gbit/s\n",
		"  delay line        6.387 MB        10Gbit/s x (5 ms delay + 10 us jitter + 100 "
		"us "
		"of what is held back)\n",
		"  ecn 0,1,2,5,6     red             by the backlog\n",
		"    mark kmin       100 KB          as given\n",
		"    drop kmax       2 MB            as given\n",
		"  ecn 3             phantom         the virtual queue drains at 95 % of the "
		"rate\n",
		"  ecn 4             red             by the backlog\n", /* lossless: no drop curve
									 */
		"  ecn 7             off\n",
		"  pfc               class 3,4       by the NIC, for each class:\n",
		"    headroom        1 MB            as given\n",
		"    (it takes)      12.628 MB       the sum of:\n",
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		cr_expect(strstr(got, want[i]) != NULL, "%s in\n%s", want[i], got);
	free(got);
}

Test(explain, marks_that_a_limit_scaled_say_so)
{
	char *got = explain(PORT("rate: 100Gbit, distance: 1000km, ecn: auto"));

	cr_expect(
		strstr(got, "    mark kmax       16 MB           scaled down: the class's limit is "
			    "16 MB\n") != NULL,
		"%s", got);
	free(got);
}
