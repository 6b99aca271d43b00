/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See layer_colour.h.
 *
 * To add a layer: a row here. Three bits hold seven of them and "unknown".
 */
#include "tracy/layer_colour.h"

#include "core/record.h"

#define HIDDEN	0x010101u /* the bits that hold the layer */
#define UNKNOWN 7u

/* Calm, and apart from each other also for those who see few colours. */
static const uint32_t colours[UNKNOWN + 1] = {
	[TW_LAYER_USER] = 0,	       /* the viewer's choice */
	[TW_LAYER_PYTHON] = 0x4a7ba6,  /* blue */
	[TW_LAYER_NATIVE] = 0x6b8e6b,  /* green */
	[TW_LAYER_RUNTIME] = 0x8f6fa8, /* violet */
	[TW_LAYER_DEVICE] = 0xb8803c,  /* amber */
	[TW_LAYER_WAIT] = 0x70757a,    /* grey */
	[UNKNOWN] = 0x9a6a6a,	       /* dull red */
};

_Static_assert(TW_LAYER_COUNT <= UNKNOWN, "three bits hold the layer");

uint32_t tw_layer_colour(uint32_t colour, uint32_t layer)
{
	uint32_t bits;

	if (layer >= TW_LAYER_COUNT)
		layer = UNKNOWN;
	if (!colour)
		colour = colours[layer];
	if (!colour)
		return 0;
	bits = (layer & 1) << 16 | (layer & 2) << 7 | (layer & 4) >> 2;
	colour = (colour & 0xffffff & ~HIDDEN) | bits;
	/* Black would mean "none": the darkest green that keeps the bits. */
	return colour ? colour : 0x000200;
}

uint32_t tw_layer_of_colour(uint32_t colour)
{
	return (colour >> 16 & 1) | (colour >> 7 & 2) | (colour & 1) << 2;
}

int tw_layer_is_default(uint32_t colour)
{
	return colour == tw_layer_colour(0, tw_layer_of_colour(colour));
}
