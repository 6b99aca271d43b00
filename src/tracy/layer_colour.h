/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracy knows no layers, so a location's colour tells them: one without a colour of its
 * own gets its layer's, and the lowest bit of each channel, which no eye can see, holds
 * the layer's number. Used for files (file_write.c), for live viewers (feed_names.c)
 * and to read both back (file_import_places.c). Pure functions, any thread.
 */
#ifndef TW_TRACY_LAYER_COLOUR_H
#define TW_TRACY_LAYER_COLOUR_H

#include <stdint.h>

/* The colour (0xRRGGBB, 0 = none) of a location of that layer and own colour. */
uint32_t tw_layer_colour(uint32_t colour, uint32_t layer);

/* The way back: the layer, TW_LAYER_COUNT or more when it was not known. */
uint32_t tw_layer_of_colour(uint32_t colour);

/* Is it the layer's colour, rather than the location's own? Also of 0. */
int tw_layer_is_default(uint32_t colour);

#endif
