// SPDX-License-Identifier: Apache-2.0
import { toJson } from "@bufbuild/protobuf";
import { isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { createClient } from "@connectrpc/connect";
import {
  type ClusterState,
  ClusterStateSchema,
  ClusterStateService,
} from "../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { HubCall } from "./hub-call.ts";
import type { TextOutput } from "./io.ts";
import { joinClusterState } from "./join-cluster-state.ts";
import { toJsonText } from "./output.ts";

/** Fields that have no value are told as well, so that a program finds `"ready": false` and empty lists. */
const jsonOptions = { alwaysEmitImplicit: true };

/** Prints the packaged state of a cluster as one JSON document, whatever the output format: it is for programs. Nothing before the state is whole. */
export async function showClusterState({ transport, io, signal }: HubCall, clusterId: string): Promise<void> {
  const chunks = createClient(ClusterStateService, transport).getClusterState({ clusterId }, { signal });
  try {
    writeState(io.stdout, await joinClusterState(chunks));
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}

/** A field a line, and of lists an element a line: the whole of a large state would be longer than a text can be. */
function writeState(output: TextOutput, state: ClusterState): void {
  const whole = reflect(ClusterStateSchema, state);
  let separator = "{\n";
  for (const field of whole.fields) {
    const isList = field.fieldKind === "list";
    if (!isList && !whole.isSet(field)) continue;
    output.write(`${separator}${JSON.stringify(field.jsonName)}: `);
    if (isList) writeList(output, whole.get(field));
    else output.write(fieldText(whole.get(field)));
    separator = ",\n";
  }
  output.write("\n}\n");
}

function writeList(output: TextOutput, list: Iterable<unknown>): void {
  let separator = "[\n";
  for (const element of list) {
    output.write(`${separator}${fieldText(element)}`);
    separator = ",\n";
  }
  output.write(separator === "[\n" ? "[]" : "\n]");
}

/** 64-bit numbers are texts, as protobuf has them in JSON. */
function fieldText(value: unknown): string {
  if (isReflectMessage(value)) return toJsonText(toJson(value.desc, value.message, jsonOptions));
  return toJsonText(typeof value === "bigint" ? value.toString() : value);
}
