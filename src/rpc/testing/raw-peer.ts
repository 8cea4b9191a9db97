// SPDX-License-Identifier: Apache-2.0
// Peers that send raw bytes, to test what no well-behaved client does.
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A socket that keeps what it receives. */
export interface RawPeer {
  readonly socket: Socket;
  /** Everything received so far, as Latin-1 text. */
  received(): string;
  /** Resolves with everything received when the other side has closed. */
  closed: Promise<string>;
  /** Resolves once `received` contains this. */
  until(text: string): Promise<void>;
}

/** Connects without TLS. */
export function connectPlain(url: string): Promise<RawPeer> {
  const { hostname, port } = new URL(url);
  const socket = connectTcp({ host: hostname, port: Number(port) });
  return opened(socket, "connect");
}

/** Connects with TLS and one ALPN protocol. */
export function connectSecure(url: string, alpn: "h2" | "http/1.1", ca: string): Promise<RawPeer> {
  const { hostname, port } = new URL(url);
  const socket = connectTls({ host: hostname, port: Number(port), ALPNProtocols: [alpn], ca });
  return opened(socket, "secureConnect");
}

function opened(socket: Socket, event: "connect" | "secureConnect"): Promise<RawPeer> {
  let text = "";
  const checks = new Set<() => void>();
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    for (const check of checks) check();
  });
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(text));
  });
  const until = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!text.includes(wanted)) return;
        checks.delete(check);
        resolve();
      };
      checks.add(check);
      check();
    });
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      socket.off("error", reject);
      socket.on("error", () => undefined); // a reset closes the socket; tests observe `closed`
      resolve({ socket, received: () => text, closed, until });
    });
    socket.once("error", reject);
  });
}

/** The connection preface of an HTTP/2 client (RFC 9113 section 3.4). */
export const http2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** An HTTP/2 frame of this type. */
export function http2Frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Types of HTTP/2 frames that tests use (RFC 9113 section 6). */
export const frameType = { data: 0, headers: 1, settings: 4, ping: 6 } as const;
