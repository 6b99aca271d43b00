/* SPDX-License-Identifier: BSD-3-Clause */
/* Does nothing, well. */
int main(void)
{
	return 0;
}
