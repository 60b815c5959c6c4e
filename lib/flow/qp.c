/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The per-QP view: from the headers of a RoCE packet to the record of its flow. stage_flow comes
 * before; psn.c keeps the numbers.
 */
#include "flow/qp.h"

#include "flow/opcode.h"
#include "pkt/parse_ip6_inl.h"
#include "wire/bytes.h"
#include "wire/ip.h"
#include "wire/roce.h"

const uint8_t *
qp_bth_behind_ext(const struct pkt_meta *meta)
{
	struct pkt_meta scratch = *meta;
	uint32_t off = IP6_HDR_LEN;

	scratch.proto = meta->l3[IP6_OFF_NEXT];
	parse_ip6_ext(meta->l3, meta->l3_len, PARSE_WINDOW, &off, &scratch);
	return meta->l3 + off + UDP_HDR_LEN;
}

static void
take_syndrome(struct flow_qp *q, uint8_t syndrome)
{
	switch (syndrome & ROCE_SYNDROME_KIND) {
	case ROCE_SYNDROME_RNR:
		q->nak_rnr++;
		break;
	case ROCE_SYNDROME_NAK:
		if ((syndrome & ROCE_SYNDROME_CODE) == ROCE_NAK_SEQUENCE)
			q->nak_sequence++;
		else
			q->nak_other++;
		break;
	default:
		q->acks++;
		break;
	}
}

/* What a RETH at `off` says: the message's size; of a first packet its payload is the path MTU. */
static uint32_t
take_reth(struct flow_qp *q, const uint8_t *bth, uint32_t off, uint32_t len)
{
	uint32_t size = wire_get32(bth + off + ROCE_RETH_OFF_DMA_LEN);

	if (q->messages == 0 || size < q->message_min)
		q->message_min = size;
	if (size > q->message_max)
		q->message_max = size;
	q->messages++;
	q->message_bytes += size;
	if ((bth[ROCE_OFF_OPCODE] & 0x1f) == ROCE_OP_WRITE_FIRST)
		psn_mtu(&q->request, len - off - ROCE_RETH_LEN - ROCE_ICRC_LEN);
	return size;
}

/* Packets that are more than one number in a row: ACKs, message heads, CNPs. */
static __attribute__((noinline)) uint32_t
take_more(struct flow_qp *q, uint8_t opcode, uint8_t what, const uint8_t *bth, uint32_t len)
{
	uint32_t off = ROCE_BTH_LEN + (opcode_is_xrc_request(opcode) ? ROCE_XRCETH_LEN : 0);

	if (opcode == ROCE_OP_CNP)
		q->cnps++;
	if ((what & OPCODE_AETH) && len >= off + ROCE_AETH_LEN + ROCE_ICRC_LEN)
		take_syndrome(q, bth[off]);
	if ((what & OPCODE_RETH) && len >= off + ROCE_RETH_LEN + ROCE_ICRC_LEN)
		return take_reth(q, bth, off, len);
	return 0;
}

void
qp_take(struct flow_qp *q, const struct pkt_meta *meta, uint32_t frame_len, const uint8_t *bth,
	uint32_t len)
{
	uint8_t opcode = meta->opcode, what = opcode_of[opcode];
	uint32_t psn = wire_get32(bth + ROCE_OFF_ACK) & PSN_MASK;
	uint32_t size = 0;

	q->packets++;
	q->bytes += frame_len;
	q->ce_in += (meta->tos & 3) == IP_ECN_CE;
	q->last_opcode = opcode;
	if ((what & (OPCODE_AETH | OPCODE_RETH)) || what == 0)
		size = take_more(q, opcode, what, bth, len);
	if (likely(what & OPCODE_REQUEST))
		psn_take(&q->request, psn, what & 0xf, size);
	else if (what & OPCODE_RESPONSE)
		psn_take(&q->response, psn, what & 0xf, 0);
}

void
qp_read(const struct flow_qp *q, struct qp_stats *ret_stats)
{
	*ret_stats = (struct qp_stats){
		.packets = q->packets,
		.bytes = q->bytes,
		.ce_in = q->ce_in,
		.ce_set = q->ce_set,
		.cnps = q->cnps,
		.acks = q->acks,
		.nak_sequence = q->nak_sequence,
		.nak_rnr = q->nak_rnr,
		.nak_other = q->nak_other,
		.messages = q->messages,
		.message_bytes = q->message_bytes,
		.message_min = q->message_min,
		.message_max = q->message_max,
		.last_opcode = q->last_opcode,
	};
	psn_read(&q->request, &ret_stats->request);
	psn_read(&q->response, &ret_stats->response);
}

void
qp_stats_add(struct qp_stats *sum, const struct qp_stats *s)
{
	if (s->packets != 0)
		sum->last_opcode = s->last_opcode;
	if (s->messages != 0 && (sum->messages == 0 || s->message_min < sum->message_min))
		sum->message_min = s->message_min;
	sum->message_max = RTE_MAX(sum->message_max, s->message_max);
	sum->packets += s->packets;
	sum->bytes += s->bytes;
	sum->ce_in += s->ce_in;
	sum->ce_set += s->ce_set;
	sum->cnps += s->cnps;
	sum->acks += s->acks;
	sum->nak_sequence += s->nak_sequence;
	sum->nak_rnr += s->nak_rnr;
	sum->nak_other += s->nak_other;
	sum->messages += s->messages;
	sum->message_bytes += s->message_bytes;
	psn_stats_add(&sum->request, &s->request);
	psn_stats_add(&sum->response, &s->response);
}

void
qp_end(void *sum, const void *qp)
{
	struct qp_stats s;

	qp_read(qp, &s);
	qp_stats_add(sum, &s);
}
