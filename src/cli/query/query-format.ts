// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { OutputFormat } from "../output/output.ts";

/** How rows are printed (CL31). */
export type QueryFormat = "table" | "wide" | "json" | "yaml" | "csv" | "name" | "ndjson";

/** The format of an `-o` value: `text` is the table. */
export function toQueryFormat(output: "text" | QueryFormat): QueryFormat {
  return output === "text" ? "table" : output;
}

/** The format for a single document. Throws INVALID_ARGUMENT if the format is one of rows only. */
export function toDocumentFormat(format: QueryFormat, flag: string): OutputFormat {
  if (format === "json" || format === "yaml") return format;
  if (format === "table" || format === "wide") return "text";
  return refuseOption(`${flag} does not work with -o ${format}; use -o table, json or yaml`);
}

/** Refuses options that cannot act together, with exit code 2 (CL22). */
export function refuseOption(sentence: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", sentence);
}
