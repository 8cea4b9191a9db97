// SPDX-License-Identifier: Apache-2.0

/** A moment as the API writes it: whole seconds, UTC. */
export function formatTime(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}
