// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ReadFile } from "../config/read-file.ts";
import { defineVerb, type Verb } from "./verb.ts";

const name = { name: "NAME" } as const;

/** The verbs about the hubs that a user has logged in to. */
export const loginVerbs: readonly Verb[] = [
  defineVerb({
    name: "login",
    summary: "Saves a hub's URL and a token for it as a context, for later calls.",
    args: [{ name: "HUB" }],
    load: async () => {
      const { logIn, toHubUrl } = await import("../../cli/hub/login.ts");
      const { chooseTrust } = await import("../hub/choose-trust.ts");
      const { openContextStore } = await import("./context-store.ts");
      const { loadPeerChain } = await import("../../rpc/tls/peer-chain.ts");
      return async ({ config, args: [hub = ""], runtime }) => {
        const url = toHubUrl(hub);
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
          const call = { io: runtime.io, output: config.output, store: openContextStore(runtime) };
          await logIn(call, context, transport, runtime.signal);
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
      const { logOut } = await import("../../cli/hub/login.ts");
      const { openContextStore } = await import("./context-store.ts");
      return ({ config, args: [wanted], runtime }) =>
        logOut({ io: runtime.io, output: config.output, store: openContextStore(runtime) }, wanted);
    },
  }),
  defineVerb({
    name: "context list",
    summary: "Lists the hubs that you have logged in to.",
    load: async () => {
      const { listContexts } = await import("../../cli/hub/login.ts");
      const { openContextStore } = await import("./context-store.ts");
      return ({ config, runtime }) =>
        listContexts({ io: runtime.io, output: config.output, store: openContextStore(runtime) });
    },
  }),
  defineVerb({
    name: "context use",
    summary: "Makes this hub the one that verbs call.",
    args: [name],
    load: async () => {
      const { switchContext } = await import("../../cli/hub/login.ts");
      const { openContextStore } = await import("./context-store.ts");
      return ({ config, args: [wanted = ""], runtime }) =>
        switchContext({ io: runtime.io, output: config.output, store: openContextStore(runtime) }, wanted);
    },
  }),
  defineVerb({
    name: "context remove",
    summary: "Deletes a context with its token.",
    args: [name],
    load: async () => {
      const { dropContext } = await import("../../cli/hub/login.ts");
      const { openContextStore } = await import("./context-store.ts");
      return ({ config, args: [wanted = ""], runtime }) =>
        dropContext({ io: runtime.io, output: config.output, store: openContextStore(runtime) }, wanted);
    },
  }),
];

function readCertificates(path: string, readFile: ReadFile): string {
  const file = readFile(path);
  if (file.kind === "text") return file.text;
  throw new FlotillaError("INVALID_ARGUMENT", `the certificates cannot be read: ${file.reason}`);
}
