// SPDX-License-Identifier: Apache-2.0
// Our API server as tests start it: over a memory store, on a loopback port, with tokens of the caller's.
import { readFile } from "node:fs/promises";
import { type ApiServer, openApiServer } from "../../src/apiserver/api-server.ts";
import { installBootstrap } from "../../src/apiserver/bootstrap/install-bootstrap.ts";
import { serveApi } from "../../src/apiserver/http/serve-api.ts";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import type { Subject } from "../../src/model/subject.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";
import { createStore } from "../../src/store/create-store.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";
import { openTempFolder } from "./temp-folder.ts";

export interface TestApiServer {
  readonly server: ApiServer;
  readonly url: string;
  /** PEM text. */
  readonly ca: string;
  close(): Promise<void>;
}

/** Starts a server that knows these tokens. */
export async function startApiServer(
  tokens: ReadonlyMap<string, Subject>,
  options: {
    readonly clusterIpRange?: string;
    readonly tokenIssuer?: string;
    /** Runs the deadlines of connections; the machine's clock when left out. */
    readonly listenerClock?: Clock;
  } = {},
): Promise<TestApiServer> {
  const clock = systemClock;
  const log = silentLogger;
  const folder = openTempFolder();
  const store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), { clock });
  const server = await openApiServer({
    store,
    cluster: "test",
    clock,
    random: createSeededRandom("api-server"),
    log,
    findUser: (token) => Promise.resolve(tokens.get(token)),
    ...options,
  });
  await installBootstrap(server.client, options);
  const certificate = await openOwnCertificate({ folder: folder.path, names: [], clock, log });
  const listener = await serveApi({
    server,
    identity: certificate.current,
    clock: options.listenerClock ?? clock,
    log,
    host: "127.0.0.1",
    port: 0,
    portOption: "--port",
  });
  return {
    server,
    url: listener.url,
    ca: await readFile(`${folder.path}/ca.crt`, "utf8"),
    async close() {
      await server.close();
      await listener.drain(1000);
      await store.close();
      folder[Symbol.dispose]();
    },
  };
}
