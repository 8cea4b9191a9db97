// SPDX-License-Identifier: Apache-2.0
// Parts of the image that need nothing fetched: archives, ELF files, credentials, and a registry's tokens.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readElf, stripElf } from "../../scripts/image/elf.ts";
import { Registry } from "../../scripts/image/registry.ts";
import { findCredential } from "../../scripts/image/registry-credential.ts";
import { readTar, type TarEntry, writeTar } from "../../scripts/image/tar.ts";
import { root } from "../../scripts/project.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const file = (path: string, text: string): TarEntry => ({ path, type: "file", mode: 0o644, bytes: Buffer.from(text) });

describe("[IN2] an archive", () => {
  const long = `${"folder/".repeat(18)}${"n".repeat(90)}`;
  const entries: readonly TarEntry[] = [
    file("b/two", "2"),
    { path: "a", type: "link", mode: 0o777, target: "b/two" },
    { path: "b/own", type: "folder", mode: 0o700, owner: 7 },
    file(long, "x".repeat(600)),
  ];

  test("is the same in whatever order its entries are given, and is unpacked by tar", () => {
    const bytes = writeTar(entries);
    expect(writeTar(entries.toReversed()).equals(bytes)).toBe(true);
    using folder = openTempFolder();
    expect(spawnSync("tar", ["-x", "-p", "-C", folder.path], { input: bytes })).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder.path, "a"), "utf8")).toBe("2");
    expect(readFileSync(join(folder.path, long), "utf8")).toHaveLength(600);
    expect(statSync(join(folder.path, "b/own")).mode & 0o777).toBe(0o700);
  });

  test("reads back, and so does one that tar wrote with long names", () => {
    const files = readTar(writeTar(entries)).filter(({ type }) => type === "file");
    expect(files.map(({ path }) => path).toSorted()).toEqual(["b/two", long].toSorted());
    using folder = openTempFolder();
    mkdirSync(join(folder.path, "d"));
    writeFileSync(join(folder.path, "d", "n".repeat(150)), "y");
    const { stdout } = spawnSync("tar", ["-c", "--format=gnu", "-C", folder.path, "./d"]);
    expect(readTar(stdout).map(({ path }) => path)).toEqual(["d", `d/${"n".repeat(150)}`]);
    expect(() => readTar(writeTar(entries).subarray(0, -1_600))).toThrow("the archive is truncated");
  });

  test("refuses a path that it cannot hold", () => {
    expect(() => writeTar([file("n".repeat(300), "")])).toThrow("does not fit into tar");
  });
});

test.skipIf(process.platform !== "linux" || process.arch !== "x64")(
  "[IN3] Node's program says what it is linked with, and runs without its symbols",
  () => {
    const whole = readFileSync(process.execPath);
    const facts = readElf(whole);
    expect(facts).toMatchObject({ architecture: "amd64", interpreter: "/lib64/ld-linux-x86-64.so.2" });
    expect(facts?.needed).toEqual(expect.arrayContaining(["libc.so.6", "libstdc++.so.6"]));
    const stripped = stripElf(whole);
    expect(readElf(stripped)).toEqual(facts);
    expect(stripped.length).toBeLessThan(whole.length);
    using folder = openTempFolder();
    const program = join(folder.path, "node");
    writeFileSync(program, stripped, { mode: 0o755 });
    expect(spawnSync(program, ["-p", "1 + 1"], { encoding: "utf8" }).stdout).toBe("2\n");
    expect(readElf(Buffer.from("#!/bin/sh\n"))).toBeUndefined();
  },
);

describe("[IN5] the credential of a registry", () => {
  test("comes from the variables, else docker's configuration: a pair, an identity token, a helper", () => {
    using folder = openTempFolder();
    const env = { DOCKER_CONFIG: folder.path, PATH: `${folder.path}:/bin:/usr/bin` };
    const auth = Buffer.from("ann:secret").toString("base64");
    const auths = { "r.example.com": { auth }, "t.example.com": { identitytoken: "tok" } };
    const credHelpers = { "h.example.com": "mine" };
    expect(findCredential("r.example.com", env)).toBeUndefined();
    writeFileSync(join(folder.path, "config.json"), JSON.stringify({ auths, credHelpers }));
    const helper = '#!/bin/sh\nread -r host\necho "{\\"Username\\":\\"at-$host\\",\\"Secret\\":\\"s\\"}"\n';
    writeFileSync(join(folder.path, "docker-credential-mine"), helper, { mode: 0o755 });
    expect(findCredential("r.example.com", env)).toEqual({ kind: "password", user: "ann", password: "secret" });
    expect(findCredential("t.example.com", env)).toEqual({ kind: "token", token: "tok" });
    expect(findCredential("h.example.com", env)).toMatchObject({ user: "at-h.example.com", password: "s" });
    expect(findCredential("other.example.com", env)).toBeUndefined();
    const given = { ...env, FLOTILLA_REGISTRY_USERNAME: "u", FLOTILLA_REGISTRY_PASSWORD: "p" };
    expect(findCredential("r.example.com", given)).toEqual({ kind: "password", user: "u", password: "p" });
  });

  test("that is half given, or in a broken file, is refused without a word of what the file holds", () => {
    using folder = openTempFolder();
    const half = { FLOTILLA_REGISTRY_USERNAME: "u" };
    expect(() => findCredential("r", half)).toThrow("must be set together; set both or neither");
    writeFileSync(join(folder.path, "config.json"), '{"auths": hunter2');
    expect(() => findCredential("r", { DOCKER_CONFIG: folder.path })).toThrow(
      `${join(folder.path, "config.json")} is not a configuration of docker; run docker login again, or remove it.`,
    );
  });

  async function withServer(answer: RequestListener, use: (address: string) => Promise<void>): Promise<void> {
    const server = createServer(answer);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP has such an address
      await use(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  }

  const bytes = Buffer.from("blob");
  const blob = { descriptor: { mediaType: "text/plain", digest: `sha256:${"0".repeat(64)}`, size: 4 }, bytes };

  test("is exchanged for a token where the registry asks for one, and is not sent to the host that takes the upload", async () => {
    const seen: string[] = [];
    await withServer(
      (request, response) => {
        seen.push(`upload ${request.headers.authorization}`);
        response.writeHead(201).end();
      },
      (elsewhere) =>
        withServer(
          (request, response) => {
            const { authorization, host } = request.headers;
            const path = request.url ?? "";
            seen.push(`${request.method} ${path.split("?")[0]} ${authorization}`);
            if (path.startsWith("/token")) response.end('{"token":"abc"}');
            else if (authorization !== "Bearer abc")
              response.writeHead(401, { "www-authenticate": `Bearer realm="http://${host}/token",service="s"` }).end();
            else if (request.method === "HEAD") response.writeHead(404).end();
            else response.writeHead(202, { location: `http://${elsewhere}/put?x=1` }).end();
          },
          async (address) => {
            const name = { registry: address, path: "team/app", tag: "1", digest: undefined };
            const registry = new Registry(name, { kind: "password", user: "ann", password: "s" });
            expect(await registry.putBlob(blob)).toBe(true);
          },
        ),
    );
    const basic = `Basic ${Buffer.from("ann:s").toString("base64")}`;
    const blobPath = `/v2/team/app/blobs/${blob.descriptor.digest}`;
    expect(seen).toEqual([
      `HEAD ${blobPath} undefined`,
      `GET /token ${basic}`,
      `HEAD ${blobPath} Bearer abc`,
      "POST /v2/team/app/blobs/uploads/ Bearer abc",
      "upload undefined",
    ]);
  });
});

describe("[IN1] `npm run image` refuses what it cannot do before it builds anything", () => {
  test.each([
    ["--arch=mips", '"mips" is not an architecture of the image; it has amd64 and arm64.'],
    ["--push=not a name", '"not a name" is not a name to push to, such as registry.example.com/flotilla:1.2.3.'],
    ["--name=A B", '"A B" is not the name of an image.'],
    ["--pusch=x", "Unknown option '--pusch'"],
  ])("%s", (flag, sentence) => {
    const done = spawnSync(process.execPath, [join(root, "scripts/image.ts"), flag], { encoding: "utf8" });
    expect([done.status, done.stdout]).toEqual([2, ""]);
    expect(done.stderr.startsWith(`image: ${sentence}`)).toBe(true);
  });
});
