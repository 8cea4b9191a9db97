// SPDX-License-Identifier: Apache-2.0
import type { Socket } from "node:net";

/**
 * Ends a connection at once, with RST. Where its end was asked for before, without: then the system refuses the reset, and Node (26.10) takes the socket for
 * closed although it is not, so that it stays for ever, and a thread that has one never ends but runs in its clean-up at full speed.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
