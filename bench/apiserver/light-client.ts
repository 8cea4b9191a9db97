// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 over TLS with as little work as possible: the client shares two cores with the servers it measures, and
// every microsecond of its own would count as theirs. Each connection has one request under way.
import { connect, type TLSSocket } from "node:tls";
import type { BenchServer } from "./servers.ts";

/** An answer, as far as a bench looks at it. */
export interface LightAnswer {
  readonly status: number;
  /** Head and body as they came, chunk lengths included. */
  readonly bytes: Buffer;
}

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("\r\n0\r\n\r\n");
const lengthHeader = /\r\ncontent-length: *([0-9]+)/i;

/** Something that requests can be sent on, one after another. */
export interface AskConnection {
  /** One request; rejects unless the answer is 2xx. */
  ask(method: string, path: string, body?: string): Promise<unknown>;
  close(): void;
}

/** One connection. Close it. */
export class LightConnection {
  readonly #socket: TLSSocket;
  readonly #headers: string;
  #read: Buffer[] = [];
  #readLength = 0;
  #expectedLength: number | undefined;
  #done: ((answer: LightAnswer) => void) | undefined;
  #fail: ((reason: Error) => void) | undefined;
  #onStream: ((chunk: Buffer) => void) | undefined;

  private constructor(socket: TLSSocket, { token }: BenchServer) {
    this.#socket = socket;
    this.#headers = `Host: bench\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (reason) => this.#fail?.(reason));
    socket.on("close", () => this.#fail?.(new Error("the server closed the connection")));
  }

  static open(server: BenchServer): Promise<LightConnection> {
    return new Promise((resolve, reject) => {
      const { port, ca } = server;
      const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] }, () =>
        resolve(new LightConnection(socket, server)),
      );
      socket.setNoDelay(true);
      socket.once("error", reject);
    });
  }

  /** One request and its whole answer, whatever its status. */
  send(method: string, path: string, body = ""): Promise<LightAnswer> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
      this.#write(method, path, body);
    });
  }

  /** As `send`, but rejects unless the answer is 2xx. */
  async ask(method: string, path: string, body = ""): Promise<LightAnswer> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Error(`${method} ${path} was answered ${answer.bytes.toString("utf8")}`);
  }

  /** Opens a watch: from here on everything that comes goes to `onChunk`, the head of the answer first. */
  stream(path: string, onChunk: (chunk: Buffer) => void): void {
    this.#onStream = onChunk;
    this.#write("GET", path, "");
  }

  close(): void {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #write(method: string, path: string, body: string): void {
    const type = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#headers}${type}\r\n${body}`);
  }

  #take(chunk: Buffer): void {
    if (this.#onStream !== undefined) {
      this.#onStream(chunk);
      return;
    }
    this.#read.push(chunk);
    this.#readLength += chunk.length;
    if (!this.#isWhole()) return;
    const bytes = this.#read.length === 1 ? chunk : Buffer.concat(this.#read);
    this.#read = [];
    this.#readLength = 0;
    this.#expectedLength = undefined;
    this.#done?.({ status: Number(bytes.toString("latin1", 9, 12)), bytes });
  }

  #isWhole(): boolean {
    if (this.#expectedLength === undefined) {
      const bytes = this.#read.length === 1 ? this.#read[0] : Buffer.concat(this.#read);
      const at = bytes?.indexOf(headEnd) ?? -1;
      if (bytes === undefined || at < 0) return false;
      const length = lengthHeader.exec(bytes.toString("latin1", 0, at))?.[1];
      // JSON has no line break of its own, so nothing but the last chunk of a chunked answer can look like it.
      this.#expectedLength = length === undefined ? Number.POSITIVE_INFINITY : at + headEnd.length + Number(length);
    }
    if (Number.isFinite(this.#expectedLength)) return this.#readLength >= this.#expectedLength;
    const last = Buffer.concat(this.#read.slice(-2)).subarray(-lastChunk.length);
    return last.equals(lastChunk);
  }
}

/** Opens that many connections. */
export function openConnections(server: BenchServer, count: number): Promise<readonly LightConnection[]> {
  return Promise.all(Array.from({ length: count }, () => LightConnection.open(server)));
}
