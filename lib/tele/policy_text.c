/* SPDX-License-Identifier: BSD-3-Clause */
#include "tele/policy_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "conf/value.h"

const char *
policy_name(const struct conf_group *g)
{
	static const char *const name[] = {
		[CONF_POLICY_ECMP] = "ecmp",
		[CONF_POLICY_FLOWLET] = "flowlet",
		[CONF_POLICY_SPRAY] = "spray",
		[CONF_POLICY_ADAPTIVE] = "adaptive",
	};

	return name[g->policy];
}

const char *
policy_spray_if(const struct conf_group *g)
{
	static const char *const name[] = {
		[CONF_SPRAY_AR_BIT] = "ar_bit",
		[CONF_SPRAY_WRITE] = "write",
		[CONF_SPRAY_ANY] = "any",
	};

	return conf_group_sprays(g) ? name[g->spray_if] : NULL;
}

const char *
policy_text(const struct conf_group *g, char buf[POLICY_TEXT_LEN])
{
	const char *per = g->policy != CONF_POLICY_ADAPTIVE ? ""
			  : g->per == CONF_PER_FLOWLET      ? " per flowlet"
							    : " per packet";
	char gap[AMOUNT_LEN];

	if (conf_group_sprays(g))
		snprintf(buf, POLICY_TEXT_LEN, "%s%s, spray_if %s", policy_name(g), per,
			policy_spray_if(g));
	else if (conf_group_flowlets(g))
		snprintf(buf, POLICY_TEXT_LEN, "%s%s, gap %s", policy_name(g), per,
			amount_show(AMOUNT_TIME, g->gap_ns, gap));
	else
		snprintf(buf, POLICY_TEXT_LEN, "%s", policy_name(g));
	return buf;
}

const char *
policy_hash_text(const struct conf_group *g, char buf[POLICY_TEXT_LEN])
{
	char seed[40] = "", rotate[80] = "", period[AMOUNT_LEN];

	if (g->has_hash_seed)
		snprintf(seed, sizeof(seed), ", seed %" PRIu64, g->hash_seed);
	if (g->rotate_ns != 0)
		snprintf(rotate, sizeof(rotate), ", another seed each %s for marked packets",
			amount_show(AMOUNT_TIME, g->rotate_ns, period));
	snprintf(buf, POLICY_TEXT_LEN, "5tuple%s%s%s%s%s",
		g->hash_fields & CONF_HASH_DEST_QP ? ", dest_qp" : "",
		g->hash_fields & CONF_HASH_FLOW_LABEL ? ", flow_label" : "",
		g->vxlan_inner ? ", inner of VXLAN" : "", seed, rotate);
	return buf;
}
