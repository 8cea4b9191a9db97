// SPDX-License-Identifier: Apache-2.0
import { request } from "node:http";
import type { Socket } from "node:net";
import { abortReason, onAbort } from "../../base/abort.ts";
import { KubeError } from "../kube-error.ts";
import { showProxy } from "./proxy.ts";

/**
 * Requests a tunnel to `authority` (`host:port`) from a proxy, over an open socket. Resolves when the tunnel is
 * established. The socket belongs to the tunnel and is closed if it fails.
 */
export async function openTunnel(socket: Socket, proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const call = request({
    createConnection: () => socket,
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...authorizationOf(proxy) },
  });
  const fail = (reason: unknown): void => {
    socket.destroy();
    reject(reason);
  };
  call.once("connect", (answer, tunnel: Socket, head) => {
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) {
      if (head.length > 0) tunnel.unshift(head);
      resolve(tunnel);
    } else {
      fail(new KubeError("tcp", `the proxy ${showProxy(proxy)} ${whyOf(status)}`));
    }
  });
  // The proxy answered with a body instead of a tunnel.
  call.once("response", (answer) =>
    fail(new KubeError("tcp", `the proxy ${showProxy(proxy)} ${whyOf(answer.statusCode ?? 0)}`)),
  );
  call.on("error", fail);
  const unlisten = onAbort(signal, () => fail(abortReason(signal)));
  call.end();
  try {
    return await promise;
  } finally {
    unlisten();
    call.on("error", () => undefined); // the tunnel's user handles later errors of the socket
  }
}

function authorizationOf(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {};
  const pair = `${decode(proxy.username)}:${decode(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Text with an incomplete percent escape is used as it is. */
function decode(text: string): string {
  return /%(?![0-9a-f]{2})/i.test(text) ? text : Buffer.from(unescapeBytes(text)).toString("utf8");
}

function unescapeBytes(text: string): number[] {
  const bytes: number[] = [];
  for (const [part] of text.matchAll(/%[0-9a-f]{2}|[^%]+/gi)) {
    if (part.startsWith("%")) bytes.push(Number.parseInt(part.slice(1), 16));
    else bytes.push(...Buffer.from(part));
  }
  return bytes;
}

function whyOf(status: number): string {
  if (status === 407) return "asks for a user and password (407); put them into the proxy's URL";
  if (status === 403) return "refuses a tunnel to the server (403)";
  return `opened no tunnel to the server (${status})`;
}
