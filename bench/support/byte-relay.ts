// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Bytes that came close together, of both directions. */
export interface Burst {
  readonly atMs: number;
  bytes: number;
}

/**
 * Silence after which the next bytes are another burst: an exchange on loopback is over in less, and nothing here is
 * sent more often.
 */
const burstGapMs = 200;

/** A TCP relay on loopback that counts what passes, TLS and all. Close it. */
export class ByteRelay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  bursts: Burst[] = [];
  upBytes = 0;
  downBytes = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  private constructor(targetPort: number) {
    this.#server = createServer((near) => {
      const far = connect({ host: "127.0.0.1", port: targetPort });
      for (const [from, to, isUp] of [
        [near, far, true],
        [far, near, false],
      ] as const) {
        this.#sockets.add(from);
        from.setNoDelay(true);
        from.on("data", (chunk: Buffer) => this.#count(chunk.length, isUp));
        from.on("error", () => to.destroy()); // the other end sees the same
        from.on("close", () => this.#sockets.delete(from));
        from.pipe(to);
      }
    });
  }

  static async open(targetPort: number): Promise<ByteRelay> {
    const relay = new ByteRelay(targetPort);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get totalBytes(): number {
    return this.upBytes + this.downBytes;
  }

  /** Counts from nothing. */
  reset(): void {
    this.upBytes = 0;
    this.downBytes = 0;
    this.bursts = [];
    this.#lastAtMs = Number.NEGATIVE_INFINITY;
  }

  #count(bytes: number, isUp: boolean): void {
    if (isUp) this.upBytes += bytes;
    else this.downBytes += bytes;
    const nowMs = performance.now();
    const last = this.bursts.at(-1);
    if (last === undefined || nowMs - this.#lastAtMs > burstGapMs) this.bursts.push({ atMs: nowMs, bytes });
    else last.bytes += bytes;
    this.#lastAtMs = nowMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
