// SPDX-License-Identifier: Apache-2.0
import type { Io } from "./output/io.ts";
import { type OutputFormat, printResult } from "./output/output.ts";
import { renderTable } from "./output/text-table.ts";

/** One option's effective value and its source. For a secret, `value` is its reference or a mask, never the secret. */
export interface EffectiveSetting {
  readonly name: string;
  readonly value: string | number | boolean | readonly string[] | undefined;
  readonly source: "flag" | "variable" | "file" | "default";
  /** `--port`, `FLOTILLA_PORT`, `FILE:LINE:COLUMN` or `default`. */
  readonly place: string;
}

/** Prints the configuration that `verb` would run with, each value with its source. */
export async function printConfig(
  { io, output }: { readonly io: Io; readonly output: OutputFormat },
  verb: string,
  settings: readonly EffectiveSetting[],
): Promise<void> {
  const rows = settings.map(({ name, value, source, place }) => [name, toCell(value), source, place]);
  const list = settings.map(({ name, value, source, place }) => ({ name, value: toJsonValue(value), source, place }));
  const text = renderTable(["OPTION", "VALUE", "SOURCE", "PLACE"], rows);
  await printResult(io.stdout, output, { value: { verb, settings: list }, text });
}

function toCell(value: EffectiveSetting["value"]): string {
  if (value === undefined) return "-";
  return typeof value === "object" ? value.join(",") || "-" : String(value);
}

function toJsonValue(value: EffectiveSetting["value"]): string | number | boolean | string[] | null {
  if (value === undefined) return null;
  return typeof value === "object" ? [...value] : value;
}
