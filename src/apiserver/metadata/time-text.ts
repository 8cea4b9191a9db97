// SPDX-License-Identifier: Apache-2.0

/** Formats a time as the API does: whole seconds, UTC. */
export function formatTime(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}
