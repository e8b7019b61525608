package matrix

import (
	"fmt"
	"strings"
	"testing"

	"intentlab/ablations/task"
)

const secretFile = `variable "token" {
  type      = string
  sensitive = true
  default   = env("TOKEN")
}
experiment "e" {}
dataset "d" {
  format = "episodes"
  path   = "d.jsonl"
}
ablation "full_context" {}
endpoint "lab" {
  base_url = "http://127.0.0.1"
  api_key  = env("KEY")
  headers  = { X-Team = "Bearer ${var.token}", X-Plain = "a" }
}
method "m" {
  uses    = "command"
  command = ["prog"]
  env     = { TOKEN = var.token, MODE = env("MODE") }
}
method "c" {
  uses     = "chat"
  endpoint = endpoint.lab
  model    = "x"
}
`

func TestSecretsReachTheirUserAndNothingElse(t *testing.T) {
	const token, key = "canary-token-1", "canary-key-2"
	e := mustLoad(t, testInputs("TOKEN="+token, "KEY="+key, "MODE=fast"), secretFile)
	o := method(t, e, "m").Options.(*commandOptions)
	if o.Env["TOKEN"] != token || e.Endpoints[0].APIKey.Reveal() != key || e.Endpoints[0].Headers["X-Team"] != "Bearer "+token {
		t.Fatalf("a secret did not reach its user: %v %v", o.Env, e.Endpoints[0].Headers)
	}
	resolved, err := task.Canonical(e.Resolved)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := task.Canonical(method(t, e, "m").Settings)
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %#v", e.Endpoints[0].APIKey, e.Endpoints[0].APIKey, e.Endpoints[0].APIKey)
	for _, text := range []string{string(resolved), string(settings), printed} {
		if strings.Contains(text, "canary") {
			t.Errorf("a secret is in %s", text)
		}
	}
	if !strings.Contains(string(settings), `"MODE":"fast"`) {
		t.Errorf("a plain environment value must count through its setting: %s", settings)
	}
	other := mustLoad(t, testInputs("TOKEN=other", "KEY=other", "MODE=fast"), secretFile)
	if other.ConfigHash() != e.ConfigHash() {
		t.Error("another secret changed the hash")
	}
	if slow := mustLoad(t, testInputs("TOKEN="+token, "KEY="+key, "MODE=slow"), secretFile); slow.ConfigHash() == e.ConfigHash() {
		t.Error("another plain environment value did not change the hash")
	}
}

func TestUnsetSecretIsAskedForOnlyAtRun(t *testing.T) {
	in := testInputs("MODE=fast")
	e := mustLoad(t, in, secretFile)
	if e.Endpoints[0].APIKey.Reveal() != "" {
		t.Error("an unset key has a value")
	}
	set := mustLoad(t, testInputs("TOKEN=a", "KEY=b", "MODE=fast"), secretFile)
	if e.ConfigHash() != set.ConfigHash() {
		t.Error("a set secret changed the hash")
	}
	in.ForRun = true
	_, src, diags := load(t, in, secretFile)
	got := rendered(t, diags, src)
	for _, want := range []string{`14:19: error: the environment variable KEY is not set`, "15:35: error: this value needs the environment variable TOKEN", "20:23: error: this value needs the environment variable TOKEN"} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
}

func TestUnsetEnvironmentElsewhereIsAnErrorAtTheArgument(t *testing.T) {
	_, src, diags := load(t, testInputs("TOKEN=a", "KEY=b"), secretFile)
	if got := rendered(t, diags, src); !strings.Contains(got, ":20:46: error: the environment variable MODE is not set.") {
		t.Error(got)
	}
}

func TestTryGivesADefaultForAnUnsetEnvironmentVariable(t *testing.T) {
	text := withK(`try(tonumber(env("K")), 7)`)
	if k := method(t, mustLoad(t, testInputs(), text), "m").Options.(*knnOptions).K; k != 7 {
		t.Errorf("k = %d", k)
	}
	if k := method(t, mustLoad(t, testInputs("K=9"), text), "m").Options.(*knnOptions).K; k != 9 {
		t.Errorf("k = %d", k)
	}
}

func TestDiagnosticsDoNotQuoteSecrets(t *testing.T) {
	in := testInputs("TOKEN=canary-token-1")
	for _, use := range []string{
		`limit = parseint(var.token, 10)`, `limit = var.token`, `visibility = var.token`, `limit = jsondecode(var.token)`,
	} {
		text := strings.Replace(secretFile, `path   = "d.jsonl"`, `path   = "d.jsonl"`+"\n  "+use, 1)
		_, src, diags := load(t, in, text)
		got := rendered(t, diags, src)
		if !diags.HasErrors() || strings.Contains(got, "canary") {
			t.Errorf("%s:\n%s", use, got)
		}
	}
	in = testInputs()
	in.Vars = []string{"n=canary-token-1"}
	_, src, diags := load(t, in, "variable \"n\" {\n  type      = number\n  sensitive = true\n}\n"+head)
	if got := rendered(t, diags, src); !diags.HasErrors() || strings.Contains(got, "canary") {
		t.Error(got)
	}
	_, src, diags = load(t, testInputs(), "variable \"n\" {\n  type      = number\n  sensitive = true\n  default   = \"canary-token-1\"\n}\n"+head)
	if got := rendered(t, diags, src); !diags.HasErrors() || strings.Contains(got, "canary") {
		t.Error(got)
	}
}
