// SPDX-License-Identifier: Apache-2.0
// Derives cluster ids from the contexts of a kubeconfig. The result is shown before anything is done (IN19).
import { FlotillaError } from "../../base/error.ts";
import { isDnsLabel } from "../../model/dns-name.ts";
import { quote } from "../../model/text.ts";

/** A context and the id of its cluster. */
export interface NamedContext {
  readonly context: string;
  readonly id: string;
}

/** The parts of a context's name. A missing part is "". */
interface ContextParts {
  /** The whole name. */
  readonly context: string;
  readonly name: string;
  readonly region: string;
  /** The project of Google Cloud, or the account of AWS. */
  readonly project: string;
}

/** The context names that `aws eks update-kubeconfig`, eksctl and gcloud create. */
const forms: readonly RegExp[] = [
  /^arn:aws[a-z-]*:eks:(?<region>[^:]+):(?<project>\d+):cluster\/(?<name>.+)$/,
  /^[^@]+@(?<name>[^.]+)\.(?<region>[^.]+)\.eksctl\.io$/,
  /^gke_(?<project>[^_]+)_(?<region>[^_]+)_(?<name>.+)$/,
];

/** The parts that a template may name. */
const partNames = ["name", "region", "project", "context"] as const;

/** The default template. */
export const defaultIdTemplate = "{name}";

/** The problem with a template, as words that follow it; undefined if it is valid. */
export function checkIdTemplate(template: string): string | undefined {
  const unknown = [...template.matchAll(/\{([^}]*)\}/g)].find(([, name]) => !isPartName(name ?? ""));
  if (unknown !== undefined)
    return `contains ${quote(unknown[0])}; it may contain ${partNames.map((name) => `{${name}}`).join(", ")}`;
  return template.includes("{")
    ? undefined
    : "must contain a part such as {name}, otherwise every cluster has the same id";
}

function isPartName(text: string): text is (typeof partNames)[number] {
  return partNames.some((name) => name === text);
}

/**
 * The id of each context: the template with its parts, in lower case, each run of other characters than letters and
 * digits replaced by a dash. Throws CONFIG_INVALID if the result is not a valid id, or if two contexts have the same.
 */
export function nameContexts(contexts: readonly string[], template: string): readonly NamedContext[] {
  const byId = new Map<string, string>();
  return contexts.map((context) => {
    const id = toId(context, template);
    if (!isDnsLabel(id))
      throw new FlotillaError(
        "CONFIG_INVALID",
        `context ${quote(context)} would become ${quote(id)}, which is not a valid cluster id; choose another with --id-template, or import it alone with --as`,
      );
    const other = byId.get(id);
    if (other !== undefined)
      throw new FlotillaError(
        "CONFIG_INVALID",
        `contexts ${quote(other)} and ${quote(context)} would both become ${id}; use --id-template '{region}-{name}' or '{project}-{region}-{name}'`,
      );
    byId.set(id, context);
    return { context, id };
  });
}

function toId(context: string, template: string): string {
  const parts = partsOf(context);
  return template
    .replaceAll(/\{([^}]*)\}/g, (_whole, name: string) => (isPartName(name) ? parts[name] : ""))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

function partsOf(context: string): ContextParts {
  for (const form of forms) {
    const { name = "", region = "", project = "" } = form.exec(context)?.groups ?? {};
    if (name !== "") return { context, name, region, project };
  }
  return { context, name: context, region: "", project: "" };
}
