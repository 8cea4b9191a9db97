// SPDX-License-Identifier: Apache-2.0
// Entry of the process that our API server is measured in: SQLite in its own thread, TLS on a loopback port, what every
// cluster is born with. Arguments: the folder of its files, the bearer token of its admin.
import { readFile } from "node:fs/promises";
import { openApiServer } from "../../src/apiserver/api-server.ts";
import { installBootstrap } from "../../src/apiserver/bootstrap/install-bootstrap.ts";
import { serveApi } from "../../src/apiserver/http/serve-api.ts";
import { type Logger, silentLogger } from "../../src/base/log.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { clusterName, filesIn } from "./our-files.ts";

const [folder = "", adminToken = ""] = process.argv.slice(2);
/** What goes wrong must be seen: a server that refuses is quick, too. */
const log: Logger = { ...silentLogger, error: (message, _fields, error) => console.error(message, error) };
const deps = { clock: systemClock, log };
const store = await openHubStore(filesIn(folder), { clock: systemClock });
const admin = createSubject({ user: "admin", groups: [mastersGroup] });
const server = await openApiServer({
  ...deps,
  store,
  cluster: clusterName,
  random: systemRandom,
  findUser: (token) => Promise.resolve(token === adminToken ? admin : undefined),
});
await installBootstrap(server.client);
const certificate = await openOwnCertificate({ ...deps, folder, names: [] });
const listener = await serveApi({
  ...deps,
  server,
  identity: certificate.current,
  host: "127.0.0.1",
  port: 0,
  portOption: "--port",
});
process.once("SIGTERM", () => {
  void server
    .close()
    .then(() => listener.drain(0))
    .then(() => store.close())
    .then(() => process.exit(0));
});
// Whoever started it is gone: so is the reason to run.
process.once("disconnect", () => process.exit(1));
process.send?.({ port: listener.port, ca: await readFile(`${folder}/ca.crt`, "utf8") });
