// SPDX-License-Identifier: Apache-2.0
import type { Socket } from "node:net";

interface Refusal {
  readonly status: string;
  readonly sentence: string;
}

/** Answers by the error code that Node's HTTP/1.1 parser reports before there is a request. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", sentence: "the headers are too large" },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: "413 Payload Too Large", sentence: "the chunk extensions are too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", sentence: "the headers did not arrive in time" },
};

const notHttp: Refusal = { status: "400 Bad Request", sentence: "this is not an HTTP request" };

/**
 * Closes a connection whose bytes are not a valid request. Sends one sentence first if the peer speaks HTTP and no
 * answer is being written (`isBusy`) that the sentence would corrupt. Returns true if the headers missed their
 * deadline.
 */
export function refuseBrokenRequest(reason: Error, socket: Socket, isBusy: boolean): boolean {
  const code = "code" in reason ? String(reason.code) : "";
  const isHttp = code.startsWith("HPE_") || code in refusals;
  if (!isHttp || isBusy || !socket.writable) {
    socket.destroy();
    return false;
  }
  const { status, sentence } = refusals[code] ?? notHttp;
  const body = JSON.stringify({ code: "INVALID_ARGUMENT", message: sentence });
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
  return code === "ERR_HTTP_REQUEST_TIMEOUT";
}
