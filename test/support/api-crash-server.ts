// SPDX-License-Identifier: Apache-2.0
// A process that serves our API over SQLite, its engine in a thread of its own, until it is killed. One line on stdout:
// its address.
import { join } from "node:path";
import { openApiServer } from "../../src/apiserver/api-server.ts";
import { serveApi } from "../../src/apiserver/http/serve-api.ts";
import { silentLogger } from "../../src/base/log.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";

const [folder = "", token = ""] = process.argv.slice(2);
const clock = systemClock;
const log = silentLogger;
const files = { file: join(folder, "hub.db"), keyFile: join(folder, "keys"), encryptedResources: ["secrets"] };
const store = await openHubStore(files, { clock });
const user = createSubject({ user: "writer", groups: [mastersGroup] });
const server = await openApiServer({
  store,
  cluster: "test",
  clock,
  random: systemRandom,
  log,
  findUser: (given) => Promise.resolve(given === token ? user : undefined),
});
const certificate = await openOwnCertificate({ folder, names: [], clock, log });
const listener = await serveApi({
  server,
  identity: certificate.current,
  clock,
  log,
  host: "127.0.0.1",
  port: 0,
  portOption: "--port",
});
process.stdout.write(`${listener.url}\n`);
