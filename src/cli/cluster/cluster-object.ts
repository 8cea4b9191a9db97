// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import { isObject } from "../../kinds/fields.ts";
import { parseExactJson } from "../../model/exact-json.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { toYaml } from "../output/output.ts";
import { escapeInLines, toTerminalText } from "../output/terminal-text.ts";

/** The object to print. */
export interface WantedObject {
  readonly cluster: string;
  readonly kind: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Prints an object. Text format: YAML without `managedFields`, like kubectl. Other formats: complete, as the API server
 * sent it, with control and direction characters escaped. Throws MALFORMED for an answer that is not JSON.
 */
export async function showObject({ transport, io, output, signal }: HubCall, wanted: WantedObject): Promise<void> {
  const { object } = await createClient(QueryService, transport).getObject({ ...wanted }, { signal });
  switch (output) {
    case "json":
      io.stdout.write(toSafeJson(object));
      return;
    case "yaml":
      io.stdout.write(await toObjectYaml(object, (parsed) => parsed));
      return;
    case "text": {
      const yaml = await toObjectYaml(object, withoutManagedFields);
      io.stdout.write(yaml.split("\n").map(toTerminalText).join("\n"));
    }
  }
}

/**
 * Between JSON values control characters are only white space. A carriage return, which could overwrite its line,
 * becomes a blank.
 */
function toSafeJson(text: string): string {
  try {
    JSON.parse(text);
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    throw notJson(reason);
  }
  const escaped = escapeInLines(text.replaceAll("\r", " "));
  return escaped.endsWith("\n") ? escaped : `${escaped}\n`;
}

function notJson(cause: SyntaxError): FlotillaError {
  return new FlotillaError("MALFORMED", "the cluster's answer is not JSON", { cause });
}

async function toObjectYaml(text: string, shape: (parsed: unknown) => unknown): Promise<string> {
  try {
    return await toYaml(shape(parseExactJson(text)));
  } catch (reason) {
    if (reason instanceof SyntaxError) throw notJson(reason);
    // The depth is bounded by the call stack.
    if (reason instanceof RangeError)
      throw new FlotillaError("TOO_LARGE", "the object is nested too deep for YAML; use --output json", {
        cause: reason,
      });
    throw reason;
  }
}

/** Field ownership is not useful to people and often larger than the object. */
function withoutManagedFields(object: unknown): unknown {
  if (!isObject(object) || !isObject(object["metadata"])) return object;
  const { managedFields: _left, ...metadata } = object["metadata"];
  return { ...object, metadata };
}
