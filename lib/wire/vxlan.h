/* SPDX-License-Identifier: BSD-3-Clause */
/* VXLAN: an Ethernet frame in UDP (RFC 7348 section 5). */
#ifndef WIRE_VXLAN_H
#define WIRE_VXLAN_H

enum {
	VXLAN_UDP_PORT = 4789,
	VXLAN_HDR_LEN = 8, /* flags, 24 bits reserved, VNI 24 bits, 8 reserved */
	VXLAN_OFF_FLAGS = 0,
	VXLAN_FLAG_I = 0x08, /* the VNI is valid: always */
};

#endif
