// SPDX-License-Identifier: Apache-2.0
import type { Server } from "node:net";
import { FlotillaError } from "../../base/error.ts";

/** The address to listen on. */
export interface ListenAddress {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** The command line option that sets the port, for error messages: `--port`. */
  readonly portOption: string;
  /** The listener's name in metrics. Default: `tls` or `plain`. */
  readonly name?: string;
}

/** Hosts that only this machine can reach. */
const loopbackHosts: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** True for a host whose connections never leave the machine. */
export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Binds the server and resolves with its port. Rejects with LISTEN_FAILED and one sentence that names the remedy. */
export function listenOn(server: Server, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (reason: Error): void => reject(listenFailed(address, reason));
    server.once("error", onError);
    server.listen({ host: address.host, port: address.port }, () => {
      server.off("error", onError);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port);
    });
  });
}

function listenFailed({ host, port, portOption }: ListenAddress, cause: Error): FlotillaError {
  const code = "code" in cause ? String(cause.code) : "unknown";
  const where = `port ${port} on ${host}`;
  const ids = { host, port };
  switch (code) {
    case "EADDRINUSE":
      return failure(`${where} is in use by another process; choose another with ${portOption}`);
    case "EACCES":
      return failure(`${where} may not be opened by this user; choose one above 1023 with ${portOption}`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return failure(`${where} cannot be opened, because ${host} is not an address of this machine`);
    default:
      return failure(`${where} cannot be opened (${code})`);
  }
  function failure(sentence: string): FlotillaError {
    return new FlotillaError("LISTEN_FAILED", sentence, { cause, ids });
  }
}
