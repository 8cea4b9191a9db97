// SPDX-License-Identifier: Apache-2.0
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { listenOn } from "../../rpc/listener/listen.ts";
import { lockDataDirectory } from "../../store/data-directory.ts";
import { checkPorts, toHubPorts } from "./hub-ports.ts";

async function takePort(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer();
  const port = await listenOn(server, { host: "127.0.0.1", port: 0, portOption: "" });
  return { port, [Symbol.asyncDispose]: () => new Promise((closed) => void server.close(() => closed())) };
}

const anyPorts = { address: "127.0.0.1", port: 0, httpPort: 0, adminPort: undefined };

test.each([
  ["--port", "port"],
  ["--http-port", "httpPort"],
  ["--admin-port", "adminPort"],
] as const)(
  "[CL16] %s in use is a failure that names the port and the option, and leaves no folder",
  async (option, name) => {
    using folder = openTempFolder();
    await using taken = await takePort();
    const checked = checkPorts(toHubPorts({ ...anyPorts, [name]: taken.port }), join(folder.path, "none"));
    await expect(checked).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: `port ${taken.port} on 127.0.0.1 is in use by another process; choose another with ${option}`,
    });
  },
);

test("[CL16] one port for two listeners is found, and ports that are free stay free", async () => {
  using folder = openTempFolder();
  let port = 0;
  {
    await using free = await takePort();
    port = free.port;
  }
  await checkPorts(toHubPorts({ ...anyPorts, port }), folder.path);
  await checkPorts(toHubPorts({ ...anyPorts, port }), folder.path);
  const twice = checkPorts(toHubPorts({ ...anyPorts, port, httpPort: port }), folder.path);
  await expect(twice).rejects.toThrow("--http-port");
});

test("[CL16] where the hub of the same folder has the port, that is said", async () => {
  using folder = openTempFolder();
  await using taken = await takePort();
  using _lock = lockDataDirectory(folder.path);
  const checked = checkPorts(toHubPorts({ ...anyPorts, port: taken.port }), folder.path);
  await expect(checked).rejects.toMatchObject({ code: "STORE_IN_USE" });
});
