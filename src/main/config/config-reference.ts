// SPDX-License-Identifier: Apache-2.0
import { isGivenBy, type OptionSpec, variableNameOf } from "./option.ts";
import { optionTable } from "./option-table.ts";

const introduction = `# Configuration

<!-- Written by \`npm run generate\` from src/main/config/option-table.ts; changes made here are lost. -->

Every setting can be given in three ways. A flag wins over a variable, a variable over the file, the file over the default.

- **Flag**: \`--data-dir PATH\` or \`--data-dir=PATH\`, after the verb. A list may be given several times or with commas.
- **Variable**: \`FLOTILLA_DATA_DIR=PATH\`. An empty variable counts as not set.
- **File**: \`--config FILE\` or \`FLOTILLA_CONFIG=FILE\` names a YAML file of at most 64 KiB. Its keys are the names below; one file may hold
  the settings of several verbs. A relative path in it starts from the file's own folder.

\`\`\`yaml
data-dir: /var/lib/flotilla
address: 0.0.0.0
hosts: [hub.example.com]
change-retention: 48h
\`\`\`

Everything given is checked before anything is opened. All mistakes are listed at once, each with its place (\`--port\`,
\`FLOTILLA_PORT\`, \`flotilla.yaml:3:7\`), and the exit code is 2. \`flotilla config VERB\` shows what a verb would run with and
where each value comes from.

- **Duration**: \`500ms\`, \`30s\`, \`5m\`, \`24h\`, \`7d\` or several together (\`1h30m\`).
- **Size**: \`65536B\`, \`4MB\` (1000 times 1000 bytes each) or \`512KiB\` (1024).
- **Secret**: \`file:PATH\`, or the value itself in the variable. It is never taken from the command line or from the
  file of settings, and never printed. A file that everybody on the machine can read is warned about.
`;

/** The text of docs/reference/config.md. */
export function renderConfigReference(table: readonly OptionSpec[] = optionTable): string {
  const settings = table.filter((spec) => isGivenBy(spec, "variable"));
  const others = table.filter((spec) => !isGivenBy(spec, "variable"));
  return [
    introduction,
    "## Settings\n",
    ...settings.map(renderOption),
    "## Arguments of single calls\n",
    "These are flags only.\n",
    ...others.map(renderOption),
  ].join("\n");
}

function renderOption(spec: OptionSpec): string {
  const flag = spec.short === undefined ? `\`--${spec.name}\`` : `\`--${spec.name}\` or \`-${spec.short}\``;
  const facts = [
    `- Flag: ${flag}`,
    ...(isGivenBy(spec, "variable") ? [`- Variable: \`${variableNameOf(spec)}\``] : []),
    ...(isGivenBy(spec, "variable") && !isGivenBy(spec, "file") ? ["- Not in the file"] : []),
    `- Type: ${typeOf(spec)}`,
    `- Default: ${defaultOf(spec)}`,
    `- Verbs: ${spec.verbs.map((verb) => `\`${verb}\``).join(", ")}`,
  ];
  return `### ${spec.name}\n\n${spec.description}\n\n${facts.join("\n")}\n`;
}

function typeOf(spec: OptionSpec): string {
  switch (spec.type) {
    case "integer":
      return `whole number from ${spec.min} to ${spec.max}`;
    case "choice":
      return `one of ${spec.choices.map((choice) => `\`${choice}\``).join(", ")}`;
    case "bytes":
      return "size";
    case "boolean":
      return "`true` or `false`";
    case "string":
      return "text";
    case "list":
      return "list of texts";
    case "duration":
    case "path":
    case "secret":
      return spec.type;
  }
}

function defaultOf(spec: OptionSpec): string {
  if (spec.required === true) return "none; it must be given";
  if (spec.default === undefined || spec.default === "") return "none";
  return `\`${spec.default}\``;
}
