// SPDX-License-Identifier: Apache-2.0
import type { Io } from "../output/io.ts";
import { type OutputFormat, printResult, toYaml } from "../output/output.ts";
import type { HubAddress } from "./find-hub.ts";

/** The name of the context, its cluster and its user. */
const contextName = "fleet";

const encoder = new TextEncoder();

/**
 * Prints a kubeconfig whose context `fleet` is the fleet API of the hub (CL41). It contains the token. The hub is not
 * called.
 */
export async function printFleetKubeconfig(
  io: Io,
  output: OutputFormat,
  { url, ca, token }: HubAddress,
): Promise<void> {
  const trust = ca === undefined ? {} : { "certificate-authority-data": encoder.encode(ca).toBase64() };
  const value = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": contextName,
    clusters: [{ name: contextName, cluster: { server: new URL("/fleet-api", url).href, ...trust } }],
    users: [{ name: contextName, user: { token } }],
    contexts: [{ name: contextName, context: { cluster: contextName, user: contextName } }],
  };
  await printResult(io.stdout, output, { value, text: await toYaml(value) });
}
