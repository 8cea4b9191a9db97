// SPDX-License-Identifier: Apache-2.0
import type { Socket } from "node:net";

/**
 * Closes a connection at once, with RST; without RST if `end` was called before. In that case the system refuses the
 * reset and Node (26.10) treats the socket as closed although it is open: it stays open for ever, and a thread that
 * owns it never ends and runs its clean-up at full speed.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
