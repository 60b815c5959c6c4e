/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fabric's figures come to: pure arithmetic over a finished configuration, as headroom.h
 * is for long lines. check_dsf.c computes `auto` with it, `--explain` prints it, and who makes
 * schedulers and buffers asks here. Any thread.
 */
#ifndef CONF_FABRIC_H
#define CONF_FABRIC_H

#include "conf/conf.h"

/* On the line, of each cell besides its payload: Ethernet 14, cell header 24, FCS 4, preamble and
 * gap 20. */
#define CONF_CELL_EXTRA 62u
#define CONF_CELL_MIN   22u /* bytes of payload below which a cell is padded */

/*
 * A bound that bridges one turn of a credit: GRANT out, the packet's way in, through two software
 * loops. Half as much lets a port run dry when a loop is late; twice as much is twice the delay.
 */
#define CONF_EGRESS_NS      20000u
#define CONF_EGRESS_CREDITS 4u /* several sources' credits arrive together */

/* A thousandth of a second of 100 Gbit/s in cells of 2048 bytes is 6104; small cells of many links
 * would ask for more than a lab box has. */
#define CONF_REASSEMBLY_MIN 4096u
#define CONF_REASSEMBLY_MAX 32768u

/* Ports of role dsf. */
size_t conf_dsf_links(const struct conf *c);

/* What a link weighs: its rate, or CONF_DSF_RATE when the file does not say. Bits a second. */
uint64_t conf_link_bps(const struct conf_port *p);

/* All links together. */
uint64_t conf_fabric_bps(const struct conf *c);

/*
 * The rate of the router, system port 0: as given, or the sum of the rates that the file gives for
 * ports of role nsf and longhaul; *ret_known is false when one of them is not in the file, and the
 * sum without it.
 */
uint64_t conf_router_bps(const struct conf *c, bool *ret_known);

/* Cells that a frame of `len` bytes, without FCS, is cut into. `cell_size` is not 0. */
uint32_t conf_frame_cells(uint16_t cell_size, uint32_t len);

/* Bytes on the line of all cells of such a frame. */
uint64_t conf_frame_cell_bytes(uint16_t cell_size, uint32_t len);

/* dsf.egress_bound at a port of `rate_bps`, 0 when that is not known: bytes of a class. */
uint64_t conf_egress_bound(const struct conf_dsf *f, uint64_t rate_bps);

/* What `reassembly_cells: auto` comes to. */
uint32_t conf_reassembly_auto(const struct conf *c);

#endif
