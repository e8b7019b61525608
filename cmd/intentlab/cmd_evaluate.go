package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"intentlab/judge"
	"intentlab/results/report"
)

type evaluateCmd struct {
	Predictions          string  `placeholder:"P" help:"Predictions file (predictions.jsonl)."`
	Gold                 string  `required:"" placeholder:"G" help:"Gold file (gold.jsonl)."`
	LabelSpaces          string  `placeholder:"L" help:"label_spaces.json; without it invalid labels are not tested."`
	Baseline             string  `placeholder:"FILE" help:"Predictions of the baseline, for the area gain."`
	Judge                string  `placeholder:"KIND" help:"Judge open answers here: embedding, or lexical (token_f1), chrf, rouge_l."`
	AcceptSuppliedScores bool    `help:"Take open_judge_score from the predictions file; stamped as supplied scores."`
	Oracle               bool    `help:"Check the evaluator itself: answers are copied from gold, so nAUC is 1."`
	Ablation             string  `placeholder:"A" help:"Name the ablation in the result, and take only its records where records name one."`
	Seed                 int64   `placeholder:"N" help:"Name the seed in the result, and take only its records where records name one."`
	Threshold            float64 `default:"0.7" help:"An open answer passes above this score."`
	SkipMissing          bool    `help:"Leave tasks without a prediction out instead of counting them wrong."`
	JSON                 bool    `name:"json" help:"Print the evaluation as JSON."`
}

// Run joins the files by the rules of metrics-and-judge.md A2 and evaluates.
func (c *evaluateCmd) Run(ctx context.Context, e env) error {
	if c.Oracle == (c.Predictions != "") {
		return usage(errors.New("give either --predictions FILE or --oracle"))
	}
	if c.Judge != "" && c.AcceptSuppliedScores {
		return usage(errors.New("--judge and --accept-supplied-scores exclude each other: open scores come from one place"))
	}
	in := fileEvaluation{cmd: c, env: e}
	if err := in.read(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return usage(err)
	}
	if c.LabelSpaces == "" && !c.Oracle {
		fmt.Fprintln(e.err, "note: without --label-spaces invalid labels are not tested: they count as wrong answers")
	}
	ev, err := in.evaluate(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		in.warn()
		return writeJSON(e.out, ev)
	}
	in.warn()
	return writeEvaluation(e, ev, in.caption())
}

// scorer builds the judge that was asked for, nil for none.
func (c *evaluateCmd) scorer() (judge.Judge, error) {
	if c.Judge == "" {
		return nil, nil
	}
	j, err := judge.ByName(c.Judge)
	if err != nil {
		return nil, fmt.Errorf("--judge: %w", err)
	}
	return j, nil
}

// writeEvaluation prints the headline numbers of a file's evaluation.
func writeEvaluation(e env, ev report.Evaluated, caption []string) error {
	t := evaluationTable(ev)
	t.Caption, t.Footnotes = caption[0], caption[1:]
	var buf bytes.Buffer
	if err := t.Text(&buf, e.style()); err != nil {
		return err
	}
	_, err := e.out.Write(buf.Bytes())
	return err
}
