// SPDX-License-Identifier: Apache-2.0
import type { JsonValue } from "@bufbuild/protobuf";
import { isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { createClient } from "@connectrpc/connect";
import {
  type ClusterState,
  ClusterStateSchema,
  ClusterStateService,
} from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import type { TextOutput } from "../output/io.ts";
import { toJsonText, toYaml } from "../output/output.ts";
import { toNumber, toPlainJson } from "../output/plain-json.ts";
import { joinClusterState } from "./join-cluster-state.ts";

/**
 * Prints the packaged state of a cluster as one JSON or YAML document; there is no text format. Prints nothing before
 * the state is complete.
 */
export async function showClusterState({ transport, io, output, signal }: HubCall, clusterId: string): Promise<void> {
  const chunks = createClient(ClusterStateService, transport).getClusterState({ clusterId }, { signal });
  try {
    const state = await joinClusterState(chunks);
    if (output === "yaml") await writeYaml(io.stdout, state);
    else writeJson(io.stdout, state);
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}

/**
 * One field per line, and one list element per line: a large state as a whole would exceed the maximum string length.
 */
function writeJson(output: TextOutput, state: ClusterState): void {
  const whole = reflect(ClusterStateSchema, state);
  let separator = "{\n";
  for (const field of whole.fields) {
    const isList = field.fieldKind === "list";
    if (!isList && !whole.isSet(field)) continue;
    output.write(`${separator}${JSON.stringify(field.jsonName)}: `);
    if (isList) writeList(output, whole.get(field));
    else output.write(toJsonText(toValue(whole.get(field))));
    separator = ",\n";
  }
  output.write("\n}\n");
}

function writeList(output: TextOutput, list: Iterable<unknown>): void {
  let separator = "[\n";
  for (const element of list) {
    output.write(`${separator}${toJsonText(toValue(element))}`);
    separator = ",\n";
  }
  output.write(separator === "[\n" ? "[]" : "\n]");
}

/** Like `writeJson`, in YAML: the elements of a list are written one after another under its key. */
async function writeYaml(output: TextOutput, state: ClusterState): Promise<void> {
  const whole = reflect(ClusterStateSchema, state);
  for (const field of whole.fields) {
    const name = field.jsonName;
    if (field.fieldKind !== "list") {
      if (whole.isSet(field)) output.write(await toYaml({ [name]: toValue(whole.get(field)) }));
      continue;
    }
    const elements = whole.get(field);
    output.write(elements.size === 0 ? `${name}: []\n` : `${name}:\n`);
    for (const element of elements) output.write(await toYaml([toValue(element)]));
  }
}

function toValue(value: unknown): JsonValue {
  if (isReflectMessage(value)) return toPlainJson(value.desc, value.message);
  if (typeof value === "bigint") return toNumber(value.toString());
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
