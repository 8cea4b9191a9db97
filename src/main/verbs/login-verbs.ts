// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ContextCall } from "../../cli/hub/login.ts";
import type { ConfigOf } from "../config/option-table.ts";
import type { ReadFile } from "../config/read-file.ts";
import { defineVerb, type Runtime, type Verb } from "./verb.ts";

const name = { name: "NAME" } as const;

/** Loads the verbs' code, and the contexts of the user that a verb reads and changes. */
async function loadContextVerbs() {
  const verbs = await import("../../cli/hub/login.ts");
  const { openContextStore } = await import("./context-store.ts");
  const callOf = (config: Pick<ConfigOf<"login">, "output">, runtime: Runtime): ContextCall => ({
    io: runtime.io,
    output: config.output,
    store: openContextStore(runtime),
  });
  return { verbs, callOf };
}

/** The verbs about the hubs that a user has logged in to. */
export const loginVerbs: readonly Verb[] = [
  defineVerb({
    name: "login",
    summary: "Saves a hub's URL and a token for it as a context, for later calls.",
    args: [{ name: "HUB" }],
    load: async () => {
      const { verbs, callOf } = await loadContextVerbs();
      const { chooseTrust } = await import("../hub/choose-trust.ts");
      const { loadPeerChain } = await import("../../rpc/tls/peer-chain.ts");
      return async ({ config, args: [hub = ""], runtime }) => {
        const url = verbs.toHubUrl(hub);
        const ca =
          config.caFile === undefined
            ? chooseTrust(url, await loadPeerChain(url), config.pin)
            : readCertificates(config.caFile, runtime.readFile);
        if (config.token === undefined)
          throw new FlotillaError(
            "UNAUTHENTICATED",
            "a login needs a token: set FLOTILLA_TOKEN, or give --token file:PATH; `flotilla token create --user NAME` creates one",
          );
        const context = { name: config.name ?? new URL(url).host, url, ca, token: config.token.reveal() };
        const address = { url, token: context.token, ...(ca === undefined ? {} : { ca }) };
        const transport = await runtime.openTransport(address);
        try {
          await verbs.logIn(callOf(config, runtime), context, transport, runtime.signal);
        } finally {
          transport.close();
        }
      };
    },
  }),
  defineVerb({
    name: "logout",
    summary: "Deletes the token of a context; by default of the current one.",
    args: [{ ...name, isOptional: true }],
    load: async () => {
      const { verbs, callOf } = await loadContextVerbs();
      return ({ config, args: [wanted], runtime }) => verbs.logOut(callOf(config, runtime), wanted);
    },
  }),
  defineVerb({
    name: "context list",
    summary: "Lists the hubs that you have logged in to.",
    load: async () => {
      const { verbs, callOf } = await loadContextVerbs();
      return ({ config, runtime }) => verbs.listContexts(callOf(config, runtime));
    },
  }),
  defineVerb({
    name: "context use",
    summary: "Makes this hub the one that verbs call.",
    args: [name],
    load: async () => {
      const { verbs, callOf } = await loadContextVerbs();
      return ({ config, args: [wanted = ""], runtime }) => verbs.switchContext(callOf(config, runtime), wanted);
    },
  }),
  defineVerb({
    name: "context remove",
    summary: "Deletes a context with its token.",
    args: [name],
    load: async () => {
      const { verbs, callOf } = await loadContextVerbs();
      return ({ config, args: [wanted = ""], runtime }) => verbs.dropContext(callOf(config, runtime), wanted);
    },
  }),
];

function readCertificates(path: string, readFile: ReadFile): string {
  const file = readFile(path);
  if (file.kind === "text") return file.text;
  throw new FlotillaError("INVALID_ARGUMENT", `the certificates cannot be read: ${file.reason}`);
}
