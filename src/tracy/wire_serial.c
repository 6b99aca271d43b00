/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoder for items that carry their thread with them: locks, memory, zones of
 * devices. They share one running time, apart from the threads'. See wire.h.
 */
#include "tracy/wire_private.h"

#define BYTES_MAX ((UINT64_C(1) << 48) - 1) /* of an allocation, as viewers count */

#define TYPE_OPENCL 3 /* of a context: the oldest that needs no thread */
#define TYPE_CUSTOM 7

static uint64_t serial_delta(struct tw_wire *wire, uint64_t ticks)
{
	uint64_t delta = ticks - wire->serial_ticks;

	wire->serial_ticks = ticks;
	return delta;
}

void tw_wire_lock_announce(struct tw_wire *wire, uint64_t ticks, uint32_t lock,
			   uint64_t location, bool is_shared)
{
	uint8_t *p = tw_wire_start(wire, TW_TRACY_LOCK_ANNOUNCE);

	p = tw_put64(tw_put32(p, lock), ticks);
	p = tw_put64(p, tw_wire_location_key(location));
	*p++ = is_shared;
	tw_wire_commit(wire, p);
}

void tw_wire_lock_name(struct tw_wire *wire, uint32_t lock, const char *text,
		       size_t bytes)
{
	enum tw_tracy_item item = TW_TRACY_LOCK_NAME;
	uint8_t *p =
		tw_wire_stage(wire, text, bytes, wire->protocol->items[item].bytes);

	tw_wire_commit(wire, tw_put32(tw_put_type(wire, p, item), lock));
}

void tw_wire_lock(struct tw_wire *wire, enum tw_tracy_item item, uint64_t ticks,
		  uint32_t thread, uint32_t lock)
{
	bool is_release = item == TW_TRACY_LOCK_RELEASE;
	bool is_shared_release = item == TW_TRACY_LOCK_SHARED_RELEASE;
	uint64_t delta = serial_delta(wire, ticks);
	uint8_t *p = tw_wire_start(wire, item);

	/* Who gives a lock back is known from who took it, unless several may have it.
	 */
	if (!is_release && !is_shared_release)
		p = tw_put32(p, thread);
	p = tw_put64(tw_put32(p, lock), delta);
	if (is_shared_release)
		p = tw_put32(p, thread);
	tw_wire_commit(wire, p);
}

void tw_wire_lock_terminate(struct tw_wire *wire, uint64_t ticks, uint32_t lock)
{
	uint8_t *p = tw_wire_start(wire, TW_TRACY_LOCK_TERMINATE);

	tw_wire_commit(wire, tw_put64(tw_put32(p, lock), ticks));
}

/* Type, time, thread and address of an allocation or its end; the pool's name first. */
static uint8_t *put_memory(struct tw_wire *wire, enum tw_tracy_item item,
			   enum tw_tracy_item named, uint64_t ticks, uint32_t thread,
			   uint64_t pool, uint64_t address)
{
	const struct tw_tracy_form *items = wire->protocol->items;
	uint64_t delta = serial_delta(wire, ticks);
	uint8_t *p = tw_wire_reserve(wire, items[TW_TRACY_MEM_NAME_PAYLOAD].bytes +
						   (size_t)items[named].bytes);

	if (pool)
		p = tw_put64(tw_put_type(wire, p, TW_TRACY_MEM_NAME_PAYLOAD), pool);
	p = tw_put64(tw_put_type(wire, p, pool ? named : item), delta);
	return tw_put64(tw_put32(p, thread), address);
}

void tw_wire_alloc(struct tw_wire *wire, uint64_t ticks, uint32_t thread, uint64_t pool,
		   uint64_t address, uint64_t bytes)
{
	uint8_t *p = put_memory(wire, TW_TRACY_MEM_ALLOC, TW_TRACY_MEM_ALLOC_NAMED,
				ticks, thread, pool, address);

	if (bytes > BYTES_MAX)
		bytes = BYTES_MAX;
	p = tw_put32(p, (uint32_t)bytes);
	tw_wire_commit(wire, tw_put16(p, (uint16_t)(bytes >> 32)));
}

void tw_wire_free(struct tw_wire *wire, uint64_t ticks, uint32_t thread, uint64_t pool,
		  uint64_t address)
{
	tw_wire_commit(wire,
		       put_memory(wire, TW_TRACY_MEM_FREE, TW_TRACY_MEM_FREE_NAMED,
				  ticks, thread, pool, address));
}

static uint8_t *put_context(const struct tw_wire *wire, uint8_t *p, uint32_t context)
{
	if (wire->protocol->gpu_context_bytes == 2)
		return tw_put16(p, (uint16_t)context);
	*p++ = (uint8_t)context;
	return p;
}

void tw_wire_device(struct tw_wire *wire, uint64_t ticks, uint32_t context)
{
	static const float period = 1;
	uint32_t period_bits;
	uint8_t *p = tw_wire_start(wire, TW_TRACY_GPU_NEW_CONTEXT);

	memcpy(&period_bits, &period, sizeof(period_bits));
	p = tw_put64(tw_put64(p, ticks), 0);
	p = tw_put32(tw_put32(p, 0), period_bits);
	p = put_context(wire, p, context);
	*p++ = 0; /* times need no more calibration */
	*p++ = wire->protocol->gpu_type_max >= TYPE_CUSTOM ? TYPE_CUSTOM : TYPE_OPENCL;
	tw_wire_commit(wire, p);
}

void tw_wire_device_name(struct tw_wire *wire, uint32_t context, const char *text,
			 size_t bytes)
{
	enum tw_tracy_item item = TW_TRACY_GPU_CONTEXT_NAME;
	uint8_t *p =
		tw_wire_stage(wire, text, bytes, wire->protocol->items[item].bytes);

	tw_wire_commit(wire, put_context(wire, tw_put_type(wire, p, item), context));
}

void tw_wire_device_zone(struct tw_wire *wire, uint64_t ticks, uint32_t thread,
			 uint32_t context, uint16_t query, uint64_t location,
			 int64_t ns)
{
	enum tw_tracy_item item = location ? TW_TRACY_GPU_ZONE_BEGIN_SERIAL
					   : TW_TRACY_GPU_ZONE_END_SERIAL;
	uint64_t delta = serial_delta(wire, ticks);
	uint8_t *p = tw_wire_start(wire, item);

	p = tw_put16(tw_put32(tw_put64(p, delta), thread), query);
	p = put_context(wire, p, context);
	if (location)
		p = tw_put64(p, tw_wire_location_key(location));
	tw_wire_commit(wire, p);
	p = tw_wire_start(wire, TW_TRACY_GPU_TIME);
	p = tw_put16(tw_put64(p, (uint64_t)(ns - wire->gpu_time)), query);
	tw_wire_commit(wire, put_context(wire, p, context));
	wire->gpu_time = ns;
}

void tw_wire_introduce(struct tw_wire *wire)
{
	/* The id that zones have anyway: nothing changes but that it is heard of. */
	tw_wire_item(wire, TW_TRACY_ZONE_VALIDATION, NULL, 0);
}
