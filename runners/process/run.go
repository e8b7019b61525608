package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run runs a program that is told everything by its arguments and its environment, from its start to
// its end; its stdin is empty. What it prints to stdout goes to the log. It is waited for at most
// within. The error is ctx's or a *Failure with Cell set: start_failed, timeout, or crashed for any end
// but exit status 0. p.Line is set here.
func Run(ctx context.Context, p Program, within time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	printed := 0
	p.Line = func(line []byte, _ bool) error {
		printed++
		switch {
		case printed <= noiseShown:
			p.Log.Printf("stdout: %s", clip(string(line), quoteLen))
		case printed == noiseShown+1:
			p.Log.Printf("stdout: further lines are left out")
		}
		return nil
	}
	child, err := Start(ctx, p)
	if err != nil {
		return &Failure{Reason: "start_failed", Detail: err.Error(), Cell: true}
	}
	child.CloseInput()
	timer := time.NewTimer(within)
	defer timer.Stop()
	late := false
	select {
	case <-child.Done():
	case <-timer.C:
		late = true
		child.Stop()
	}
	<-child.Done() // a context that ended has the child ended too
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case late:
		return &Failure{Reason: "timeout", Cell: true, Detail: child.withStderr(fmt.Sprintf("%q was not done within %v", child.Name(), within))}
	case child.Cause() == nil && child.Exit() == nil:
		return nil
	}
	f := child.ended("it was done")
	if errors.Is(child.Cause(), ErrLineTooLong) {
		f.ForGood = true
	}
	f.Cell = true
	return f
}
