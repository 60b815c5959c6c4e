/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow inside a VXLAN packet (RFC 7348), for groups whose hash asks for it. Comes after the
 * parser, which has checked the outer headers; what is inside is as hostile as any frame.
 */
#ifndef PKT_INNER_H
#define PKT_INNER_H

#include <stdbool.h>
#include <stdint.h>

#include "pkt/burst.h"

/*
 * Adds to `crc` the inner addresses, protocol and ports, and with `dest_qp` the RoCE destination
 * QP, in the way that flow_inl.h has of the outer ones: a CRC32C. Returns `crc` as it is when the
 * packet is no VXLAN, is a fragment, or holds no whole inner IP header; what is not IP inside adds
 * both MAC addresses. Inner fragments add their addresses and protocol only. Looks at no byte
 * beyond the packet or PARSE_WINDOW; walks up to two inner tags, no inner extension headers.
 * `meta` is whole and of a packet that goes on. Worker.
 */
uint32_t pkt_inner_flow(const struct pkt_meta *meta, uint32_t crc, bool dest_qp);

#endif
